/* A bank with global counters: transfers are under way while `pending` is below its limit; the ledger confirms.

   expect: buffers PROVED
   expect: bound transfers 3
   expect: bound confirmations 3
   expect: progress PROVED
   expect: deadlock PROVED */
#define LIMIT 3
int pending = 0, balance[2] = 100, total = 200;
chan transfers = [8] of { byte, byte };
chan confirmations = [8] of { byte };

active [2] proctype Customer() {
	do
	:: atomic { pending < LIMIT && balance[_pid] > 0 -> pending++; balance[_pid]--; transfers!_pid, 1 }
	:: confirmations?_ -> progress: pending--
	od
}

active proctype Ledger() {
	byte from, amount;
	do
	:: transfers?from, amount -> balance[1 - from] = balance[1 - from] + amount; confirmations!from
	od
}
