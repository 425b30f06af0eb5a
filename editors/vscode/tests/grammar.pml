// SYNTAX TEST "source.promela" "what is what, without a server"

#define LIMIT 3
// <------- keyword.control.directive.promela
//      ^^^^^ entity.name.function.preprocessor.promela
//            ^ constant.numeric.promela

mtype = { ack };
// <----- storage.type.promela

chan c = [2] of { mtype };
// <---- storage.type.promela
//        ^ constant.numeric.promela
//           ^^ storage.modifier.promela

proctype client(byte n) {
// <-------- storage.type.proctype.promela
//       ^^^^^^ entity.name.type.proctype.promela
//              ^^^^ storage.type.promela
progress_again:
// <-------------- entity.name.label.meaningful.promela
    do
//  ^^ keyword.control.promela
    :: c!ack; goto progress_again
//  ^^ keyword.operator.option.promela
//      ^ keyword.operator.channel.promela
//            ^^^^ keyword.control.promela
//                 ^^^^^^^^^^^^^^ entity.name.label.promela
    :: printf("n = %d\n", n)
//     ^^^^^^ support.function.promela
//                 ^^ constant.other.placeholder.promela
    od
}

ltl p { [] <> (len(c) <= LIMIT) }
// <--- keyword.other.property.promela
//  ^ entity.name.section.property.promela
//      ^^ keyword.operator.temporal.promela
//             ^^^ support.function.promela
/* a comment */
// <--------------- comment.block.promela
