// SPIN accepts this
chan c = [1] of { byte };
typedef T {
  chan v = 1 // error[E0212]: a number cannot be assigned to a channel
};
T t;
init { c!1; t.v!1 }
