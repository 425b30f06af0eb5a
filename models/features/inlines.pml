// inline: parameters by name, nested use, labels and local names of their own.
// expect: states 15 transitions 15
// expect: errors 0 atomic-steps 1
byte a, b; chan c = [1] of { byte };
inline add(v, n) { v = v + n }
inline twice(v) { add(v, 1); if :: v > 1 -> goto out :: else fi; add(v, 1); out: skip }
inline send(q, x) { atomic { q!x; q?x } }
active proctype P() { twice(a); twice(b); twice(a); send(c, b); assert(a == 3 && b == 2) }
