/* A bank with global counters: four customers, twenty transfers under way at the most; the ledger confirms.
   True: what is pending is what is under way, and less than 20 when it grows. The proof gives `pending` a weight of its own, and uses
   that nobody interrupts a customer between looking and counting.

   expect: buffers PROVED
   expect: bound transfers 20
   expect: bound confirmations 20
   expect: progress PROVED */
#define LIMIT 20
int pending = 0, balance[4] = 100, total = 200;
chan transfers = [8] of { byte, byte };
chan confirmations = [8] of { byte };

active [4] proctype Customer() {
	do
	:: atomic { pending < LIMIT && balance[_pid] > 0 -> pending++; balance[_pid]--; transfers!_pid, 1 }
	:: confirmations?_ -> progress: pending--
	od
}

active proctype Ledger() {
	byte from, amount;
	do
	:: transfers?from, amount -> balance[(from+1)%4] = balance[(from+1)%4] + amount; confirmations!from
	od
}
