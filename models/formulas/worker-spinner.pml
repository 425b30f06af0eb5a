/* A worker that could always go on beside somebody who never stops.
   For any capacity:
     works: fails
     works: holds under weak fairness
     works: holds under strong fairness
 */
bit x, y;
chan log = [1] of { byte };
active proctype Worker() { do :: y = 1; done: y = 0 od }
active proctype Spinner() { do :: x = 1 - x od }
ltl works { [] <> Worker@done }
