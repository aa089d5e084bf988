/** Reason why another server's public link is not saved: the HTTP status, which is also the OCS code, and a sentence for the user. */
const REFUSALS = {
  off: [403, 'Server to server sharing is not enabled on this server'],
  barred: [403, 'Sharing with this server is not allowed by the administrator'],
  own: [400, 'The link is of this server: open it here'],
  invalid: [400, 'This is no address of a public link'],
  'too-many': [429, 'Too many requests'],
  full: [403, 'There are too many shares that wait for your decision'],
  unreachable: [503, 'The server of the link cannot be reached'],
  'not-understood': [400, 'There is no server at this address that shares'],
  'wrong-password': [403, 'The link needs a password, and another one than this'],
  'unknown-link': [404, 'There is no such link at its server, or not any more'],
  unsupported: [400, 'The server of the link does not let it be saved at other servers'],
  refused: [
    400,
    'The server of the link refused: the link does not exist or cannot be saved, or its password is another one',
  ],
} as const satisfies Readonly<Record<string, readonly [code: number, sentence: string]>>;

export type LinkRefusal = keyof typeof REFUSALS;

/** An expected refusal of a call that saves another server's link. */
export class LinkRefused extends Error {
  readonly code: number;

  /** @param words text from the other server; empty for none */
  constructor(
    readonly refusal: LinkRefusal,
    words = '',
  ) {
    const [code, sentence] = REFUSALS[refusal];
    super(words === '' ? sentence : `${sentence} (${words})`);
    this.code = code;
  }
}

/** The refusal of this name; undefined if there is none. */
export function linkRefusalNamed(name: string): LinkRefusal | undefined {
  return Object.hasOwn(REFUSALS, name) ? (name as LinkRefusal) : undefined;
}
