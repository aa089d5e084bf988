import { badRequest } from './dav-failure';

/** A condition of an If header (RFC 4918, section 10.4): a state that a resource must or must not have. */
interface StateCondition {
  readonly isNegated: boolean;
  readonly kind: 'token' | 'etag';
  /** The address of a state token, or an entity tag without quotes. */
  readonly value: string;
}

/** Conditions that have to be fulfilled together. */
export interface StateList {
  /** Address of the resource; undefined means the resource of the request. */
  readonly resource: string | undefined;
  readonly conditions: readonly StateCondition[];
}

/** State of a resource, for comparison with lists. */
export interface ResourceState {
  /** undefined if there is no node. */
  readonly etag: string | undefined;
  /** Addresses of the tokens of all locks that cover it. */
  readonly tokens: ReadonlySet<string>;
}

const MAX_CHARACTERS = 8192;
const MAX_CONDITIONS = 100;

const SPACE = /\s*/y;
const RESOURCE = /<([^<>\s]+)>/y;
const CONDITION = /(not\s+|not(?=[<[]))?(?:<([^<>\s]+)>|\[\s*(W\/)?"([^"]*)"\s*\])/iy;

/** Reads an If header. @throws DavFailure `bad-request` */
export function parseIf(header: string): StateList[] {
  if (header.length > MAX_CHARACTERS) throw malformed();
  const reader = new Reader(header);
  const lists: StateList[] = [];
  let resource: string | undefined;
  let conditions = 0;
  do {
    const tag = reader.take(RESOURCE)?.[1];
    // Lists with and without a resource may not be mixed.
    if (tag !== undefined && lists.length > 0 && resource === undefined) throw malformed();
    resource = tag ?? resource;
    const list = readList(reader);
    lists.push({ resource, conditions: list });
    conditions += list.length;
    if (conditions > MAX_CONDITIONS) throw malformed();
  } while (!reader.isAtEnd);
  return lists;
}

function readList(reader: Reader): StateCondition[] {
  if (!reader.take(/\(/y)) throw malformed();
  const conditions: StateCondition[] = [];
  for (let match = reader.take(CONDITION); match; match = reader.take(CONDITION)) {
    const [, not, token, , etag] = match;
    conditions.push({
      isNegated: not !== undefined,
      ...(token === undefined ? { kind: 'etag', value: etag! } : { kind: 'token', value: token }),
    });
  }
  if (conditions.length === 0 || !reader.take(/\)/y)) throw malformed();
  return conditions;
}

/** Whether one of the lists is fulfilled by the state of its resource. */
export function holds(
  lists: readonly StateList[],
  stateOf: (resource: string | undefined) => ResourceState,
): boolean {
  return lists.some(({ resource, conditions }) => {
    const state = stateOf(resource);
    return conditions.every(({ isNegated, kind, value }) => {
      const has = kind === 'etag' ? state.etag === value : state.tokens.has(value);
      return has !== isNegated;
    });
  });
}

/** State tokens in a header. A client that names a token has sent it, whether or not the conditions are fulfilled. */
export function submittedTokens(lists: readonly StateList[]): string[] {
  return valuesOf(lists, 'token');
}

/** Entity tags of which one is required. */
export function wantedEtags(lists: readonly StateList[]): string[] {
  return valuesOf(
    lists.map((list) => ({ ...list, conditions: list.conditions.filter(({ isNegated }) => !isNegated) })),
    'etag',
  );
}

function valuesOf(lists: readonly StateList[], wanted: StateCondition['kind']): string[] {
  const found = lists.flatMap(({ conditions }) => conditions.filter(({ kind }) => kind === wanted));
  return [...new Set(found.map(({ value }) => value))];
}

/** Reads a text part by part, skipping the space around each part. */
class Reader {
  private at = 0;

  constructor(private readonly text: string) {
    this.skipSpace();
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** @param part a sticky expression */
  take(part: RegExp): RegExpExecArray | undefined {
    part.lastIndex = this.at;
    const match = part.exec(this.text);
    if (!match) return undefined;
    this.at = part.lastIndex;
    this.skipSpace();
    return match;
  }

  private skipSpace(): void {
    SPACE.lastIndex = this.at;
    SPACE.exec(this.text);
    this.at = SPACE.lastIndex;
  }
}

const malformed = () => badRequest('The If header is not one of RFC 4918');
