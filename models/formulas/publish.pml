/* A publisher that waits for nobody.
   For any capacity:
     received: fails
     order: holds
 */
chan topic = [2] of { byte };
active proctype Publisher() { do :: publishing: topic!1 od }
active proctype Subscriber() { do :: topic?_; got: skip od }
ltl received { [] <> Subscriber@got }
ltl order { !Subscriber@got W (len(topic) > 0) }
