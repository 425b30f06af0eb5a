/* Two frames may be under way.
   For any capacity:
     acknowledged: holds
     again: holds
 */
chan data = [4] of { byte };
chan ack = [4] of { byte };
active proctype Sender() {
  data!1;
  do
  :: data!1; waiting: ack?_
  od
}
active proctype Receiver() { do :: data?_; got: ack!1 od }
ltl acknowledged { [] (Sender@waiting -> <> !Sender@waiting) }
ltl again { [] <> Receiver@got }
