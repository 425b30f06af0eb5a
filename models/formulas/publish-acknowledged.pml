/* A publisher that waits for both subscribers.
   For any capacity:
     received: holds
     again: holds
 */
chan one = [2] of { byte };
chan two = [2] of { byte };
chan ack = [2] of { byte };
active proctype Publisher() { do :: one!1; two!1; waiting: ack?_; ack?_ od }
active proctype First() { do :: one?_; got: ack!1 od }
active proctype Second() { do :: two?_; got: ack!1 od }
ltl received { [] <> Second@got }
ltl again { [] (Publisher@waiting -> <> !Publisher@waiting) }
