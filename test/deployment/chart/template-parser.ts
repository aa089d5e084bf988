/** A value of an expression: a literal, a path such as `.Values.size` or `$root.Values`, or a call. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'path'; readonly from: string; readonly fields: readonly string[] }
  | { readonly kind: 'fields'; readonly of: Expression; readonly fields: readonly string[] }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] };

export type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly value: Expression }
  | { readonly kind: 'assign'; readonly name: string; readonly value: Expression }
  | { readonly kind: 'define'; readonly name: string; readonly body: readonly Node[] }
  | { readonly kind: 'if'; readonly branches: readonly { when?: Expression; body: readonly Node[] }[] }
  | {
      readonly kind: 'range';
      readonly names: readonly string[];
      readonly over: Expression;
      readonly body: readonly Node[];
    };

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|`[^`]*`|\(|\)|\||:=|,|-?\d+|[$.\w/-]+)/y;

/** Reads the part of Helm's templates that the chart uses. @throws Error for anything else */
export function parseTemplate(text: string): Node[] {
  return new TemplateParser(text).parse();
}

class TemplateParser {
  /** Text and actions in turn; an action is the text between braces. */
  private readonly pieces: readonly { readonly isAction: boolean; readonly text: string }[];
  private at = 0;

  constructor(text: string) {
    // A dash removes the blanks beside it.
    const trimmed = text.replace(/\s*\{\{-(?=\s)/g, '{{').replace(/(?<=\s)-\}\}\s*/g, '}}');
    this.pieces = trimmed
      .split(/(\{\{(?:[^}]|\}(?!\}))*\}\})/)
      .map((piece) =>
        piece.startsWith('{{')
          ? { isAction: true, text: piece.slice(2, -2).trim() }
          : { isAction: false, text: piece },
      );
  }

  parse(): Node[] {
    const nodes = this.body([]);
    if (this.at < this.pieces.length) throw new Error('an end without a beginning');
    return nodes;
  }

  /** Parses up to one of these words, and leaves the word for the caller. */
  private body(ends: readonly string[]): Node[] {
    const nodes: Node[] = [];
    for (; this.at < this.pieces.length; this.at++) {
      const { isAction, text } = this.pieces[this.at]!;
      if (!isAction) nodes.push({ kind: 'text', text });
      else if (ends.includes(text.split(/\s/)[0]!)) return nodes;
      else if (!text.startsWith('/*')) nodes.push(this.action(text));
    }
    if (ends.length > 0) throw new Error(`no ${ends.join(' or ')}`);
    return nodes;
  }

  private action(text: string): Node {
    const [word] = text.split(/\s/) as [string];
    const rest = text.slice(word.length).trim();
    if (word === 'define') return this.define(rest);
    if (word === 'if') return this.conditional(rest);
    if (word === 'range') return this.range(rest);
    const [, name, value] = /^(\$\w+)\s*:=\s*([\s\S]+)$/.exec(text) ?? [];
    if (name !== undefined) return { kind: 'assign', name, value: parseExpression(value!) };
    return { kind: 'print', value: parseExpression(text) };
  }

  private define(rest: string): Node {
    this.at++;
    return { kind: 'define', name: JSON.parse(rest) as string, body: this.body(['end']) };
  }

  private conditional(condition: string): Node {
    const branches: { when?: Expression; body: readonly Node[] }[] = [];
    let when: Expression | undefined = parseExpression(condition);
    for (;;) {
      this.at++;
      const body = this.body(['else', 'end']);
      branches.push(when === undefined ? { body } : { when, body });
      const { text } = this.pieces[this.at]!;
      if (text === 'end') return { kind: 'if', branches };
      when = text === 'else' ? undefined : parseExpression(text.replace(/^else if\s/, ''));
    }
  }

  private range(rest: string): Node {
    const [, names = '', over = rest] = /^(\$\w+(?:\s*,\s*\$\w+)?)\s*:=\s*([\s\S]+)$/.exec(rest) ?? [];
    this.at++;
    return {
      kind: 'range',
      names: names
        .split(',')
        .map((name) => name.trim())
        .filter(Boolean),
      over: parseExpression(over),
      body: this.body(['end']),
    };
  }
}

function parseExpression(text: string): Expression {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  const source = text.trimEnd();
  while (TOKEN.lastIndex < source.length) {
    const at = TOKEN.lastIndex;
    const token = TOKEN.exec(source)?.[1];
    if (token === undefined) throw new Error(`not understood: ${source.slice(at)}`);
    tokens.push(token);
  }
  const parser = new ExpressionParser(tokens);
  return parser.whole();
}

class ExpressionParser {
  private at = 0;

  constructor(private readonly tokens: readonly string[]) {}

  whole(): Expression {
    const value = this.pipeline();
    if (this.at < this.tokens.length) throw new Error(`not understood: ${this.tokens.join(' ')}`);
    return value;
  }

  /** The value before a bar is the last argument of the function after it. */
  private pipeline(): Expression {
    let value = this.command();
    while (this.tokens[this.at] === '|') {
      this.at++;
      const next = this.command();
      if (next.kind !== 'call') throw new Error('a bar leads to no function');
      value = { ...next, args: [...next.args, value] };
    }
    return value;
  }

  private command(): Expression {
    const token = this.tokens[this.at]!;
    const isFunction = /^[a-z]\w*$/i.test(token) && !['true', 'false'].includes(token);
    // A file of the chart, through any variable that leads to the files.
    const isFile = token.endsWith('.Files.Get');
    if (!isFunction && !isFile) return this.operand();
    this.at++;
    const args: Expression[] = [];
    while (this.at < this.tokens.length && !['|', ')'].includes(this.tokens[this.at]!))
      args.push(this.operand());
    return { kind: 'call', name: isFile ? 'Files.Get' : token, args };
  }

  private operand(): Expression {
    const token = this.tokens[this.at++]!;
    if (token === '(') return this.parenthesis();
    if (token.startsWith('"')) return { kind: 'literal', value: JSON.parse(token) };
    if (/^-?\d+$/.test(token)) return { kind: 'literal', value: Number(token) };
    if (token === 'true' || token === 'false') return { kind: 'literal', value: token === 'true' };
    // A function without arguments, such as `dict`.
    if (/^[a-z]\w*$/i.test(token)) return { kind: 'call', name: token, args: [] };
    const [from, ...fields] = token.split('.') as [string, ...string[]];
    return { kind: 'path', from, fields: fields.filter((field) => field !== '') };
  }

  private parenthesis(): Expression {
    const value = this.pipeline();
    if (this.tokens[this.at++] !== ')') throw new Error('a parenthesis does not end');
    const next = this.tokens[this.at];
    // (call).field
    if (next === undefined || !/^\.\w/.test(next)) return value;
    this.at++;
    return { kind: 'fields', of: value, fields: next.split('.').filter(Boolean) };
  }
}
