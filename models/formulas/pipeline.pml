/* Three stages, each as fast as the next one lets it.
   For any capacity:
     through: fails
     order: holds
 */
chan a = [2] of { byte };
chan b = [2] of { byte };
active proctype First() { do :: a!1 od }
active proctype Second() { do :: a?_; working: b!1 od }
active proctype Third() { do :: b?_; ready: skip od }
ltl through { [] <> Third@ready }
ltl order { !Third@ready W Second@working }
