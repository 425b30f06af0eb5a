/* Two frames before the first look at acknowledgements, and both sides begin: with room for one everybody waits to send.
   For any capacity:
     begins: fails
 */
chan a = [4] of { byte };
chan b = [4] of { byte };
bit done;
active proctype P() { a!1; a!1; b?_; b?_; done = 1; do :: skip od }
active proctype Q() { b!1; b!1; a?_; a?_; do :: skip od }
ltl begins { <> (done == 1) }
