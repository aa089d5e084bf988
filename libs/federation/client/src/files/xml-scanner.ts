import { SaxesParser } from 'saxes';
import { WorkBudgetSpent, WorkBudget } from '#platform';

/** Events of a scanner, in the order of the document. */
export interface XmlListener {
  /** @param key namespace and name, separated by a space */
  opened(key: string): void;
  text(text: string): void;
  closed(): void;
}

/** The document is not well-formed, or is larger than the limits. */
export class XmlRefused extends Error {}

/** Maximum length of a tag, and of the text between two tags, in characters. */
const MAX_TOKEN = 64 * 1024;
const MAX_DEPTH = 32;
/** Maximum per element; declarations of namespaces count as attributes. */
const MAX_ATTRIBUTES = 128;
const MAX_NAME = 1024;
/** The largest accepted listing takes a tenth of it. */
const MAX_MS = 10_000;

/**
 * Reads XML as it arrives, in bounded memory and time: lists of partners can have many megabytes, and a parser of
 * whole documents would block everything else. Document types are refused, so only the five predefined entities and
 * character references exist.
 */
export class XmlScanner {
  private readonly parser = new SaxesParser({ xmlns: true, position: false });
  private depth = 0;
  private attributes = 0;
  /** Characters since the last event. */
  private pending = 0;

  constructor(
    private readonly listener: XmlListener,
    private readonly budget: WorkBudget = new WorkBudget(MAX_MS),
  ) {
    const { parser } = this;
    parser.on('error', ({ message }) => refuse(`it is not well-formed: ${message}`));
    parser.on('doctype', () => refuse('it has a document type'));
    parser.on('opentagstart', ({ name }) => this.begin(name));
    parser.on('attribute', ({ name }) => this.takeAttribute(name));
    parser.on('opentag', ({ uri, local }) => this.listener.opened(`${uri} ${local}`));
    parser.on('closetag', () => this.close());
    for (const kind of ['text', 'cdata'] as const) parser.on(kind, (text) => this.takeText(text));
    for (const kind of ['comment', 'processinginstruction', 'xmldecl'] as const)
      parser.on(kind, () => this.found());
  }

  /** @throws XmlRefused */
  write(chunk: string): void {
    this.pending += chunk.length;
    this.turn(() => this.parser.write(chunk));
    if (this.pending > MAX_TOKEN) refuse('a part of it is too long');
  }

  /** @throws XmlRefused for a document that has not ended */
  end(): void {
    this.turn(() => this.parser.close());
  }

  private turn(work: () => void): void {
    try {
      this.budget.turn(work);
    } catch (error) {
      throw error instanceof WorkBudgetSpent ? new XmlRefused(error.message) : error;
    }
  }

  private found(): void {
    this.pending = 0;
    this.budget.step();
  }

  private begin(name: string): void {
    this.found();
    this.depth += 1;
    this.attributes = 0;
    if (this.depth > MAX_DEPTH) refuse('it is nested too deeply');
    if (name.length > MAX_NAME) refuse('a name in it is too long');
  }

  private takeAttribute(name: string): void {
    this.found();
    this.attributes += 1;
    if (this.attributes > MAX_ATTRIBUTES) refuse('an element in it has too many attributes');
    if (name.length > MAX_NAME) refuse('a name in it is too long');
  }

  private takeText(text: string): void {
    this.found();
    if (text.length > MAX_TOKEN) refuse('a part of it is too long');
    if (this.depth > 0) this.listener.text(text);
  }

  private close(): void {
    this.found();
    this.depth -= 1;
    this.listener.closed();
  }
}

function refuse(reason: string): never {
  throw new XmlRefused(reason);
}
