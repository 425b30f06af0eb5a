/* One thing goes through three stages.
   For any capacity:
     through: holds
     order: holds
 */
chan a = [2] of { byte };
chan b = [2] of { byte };
bit ready;
active proctype First() { a!1 }
active proctype Second() { a?_; working: b!1 }
active proctype Third() { b?_; ready = 1; do :: skip od }
ltl through { <> (ready == 1) }
ltl order { (ready == 0) W Second@working }
