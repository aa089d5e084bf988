/**
 * First words that begin a comment with a relative clause instead of a subject. `What` and `Who` may begin a question.
 * Source of the list: the conventions for comments in CONTRIBUTING.md.
 */
const RELATIVE =
  /^(what|who|whom|whoever|whatever|whichever|nobody|no one|of what|of whom|of which|to whom|by whom|with whom)\b/i;

/** The text of a comment without its decoration, one entry per sentence. */
function sentencesOf(comment) {
  const text = comment.value
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, ''))
    .join(' ')
    .replace(/@(returns|param \S+|throws \S+)/g, '. ')
    .trim();
  return text.split(/(?<=[.:;])\s+/);
}

function breaksTheRule(comment) {
  const [first = ''] = sentencesOf(comment);
  return RELATIVE.test(first) && !first.endsWith('?');
}

/** Consecutive line comments are one comment: only the first of them begins. */
function beginnings(comments) {
  return comments.filter((comment, index) => {
    const before = comments[index - 1];
    const continues =
      before?.type === 'Line' &&
      comment.type === 'Line' &&
      before.loc.end.line + 1 === comment.loc.start.line;
    return !continues;
  });
}

/** A comment begins with its subject, so that a reader understands it at first reading. */
module.exports = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      relative:
        'Begin the comment with its subject: subject, verb, object. "{{word}}" begins a relative clause.',
    },
  },
  create(context) {
    return {
      Program() {
        for (const comment of beginnings(context.sourceCode.getAllComments())) {
          if (!breaksTheRule(comment)) continue;
          const word = RELATIVE.exec(sentencesOf(comment)[0])[0];
          context.report({ loc: comment.loc, messageId: 'relative', data: { word } });
        }
      },
    };
  },
};
