/**
 * First words that begin a sentence with a relative clause instead of a subject. `What` and `Who` may begin a question.
 * Source of the list: the conventions for comments in CONTRIBUTING.md.
 */
const RELATIVE =
  /^(what|who|whom|whose|whoever|whatever|whichever|nobody|no one|of (what|whom|which)|(to|by|with) whom|those who)\b/i;

/** The text of a comment without its marks, one entry per sentence; a colon or semicolon ends a sentence too. */
function sentencesOf(comment) {
  const text = comment
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, ''))
    .join(' ')
    .replace(/@(returns|param \S+|throws \S+)/g, '. ')
    .trim();
  return text.split(/(?<=[.:;])\s+/);
}

/** The first word of a sentence that begins with a relative clause. */
function relativeIn(text) {
  const sentence = sentencesOf(text).find((one) => RELATIVE.test(one) && !one.endsWith('?'));
  return sentence && RELATIVE.exec(sentence)[0];
}

/** Consecutive line comments are one comment. */
function wholeComments(comments) {
  const whole = [];
  for (const { type, value, loc } of comments) {
    const before = whole.at(-1);
    const continues =
      before?.type === 'Line' && type === 'Line' && before.loc.end.line + 1 === loc.start.line;
    if (continues)
      Object.assign(before, { value: `${before.value}\n${value}`, loc: { ...before.loc, end: loc.end } });
    else whole.push({ type, value, loc });
  }
  return whole;
}

/** Each sentence of a comment begins with its subject, so that a reader understands it at first reading. */
module.exports = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      relative:
        'Begin each sentence of a comment with its subject: subject, verb, object. "{{word}}" begins a relative clause.',
    },
  },
  create(context) {
    return {
      Program() {
        for (const { value, loc } of wholeComments(context.sourceCode.getAllComments())) {
          const word = relativeIn(value);
          if (word) context.report({ loc, messageId: 'relative', data: { word } });
        }
      },
    };
  },
};
