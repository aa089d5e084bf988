/** Why another server's public link is not saved. */
export const LINK_REFUSALS = [
  'off',
  'barred',
  'own',
  'invalid',
  'too-many',
  'unreachable',
  'not-understood',
  'unsupported',
  'refused',
] as const;
export type LinkRefusal = (typeof LINK_REFUSALS)[number];

const SENTENCES: Readonly<Record<LinkRefusal, readonly [code: number, sentence: string]>> = {
  off: [403, 'Server to server sharing is not enabled on this server'],
  barred: [403, 'Sharing with this server is not allowed by the administrator'],
  own: [400, 'The link is of this server: open it here'],
  invalid: [400, 'This is no address of a public link'],
  'too-many': [429, 'Too many requests'],
  unreachable: [503, 'The server of the link cannot be reached'],
  'not-understood': [400, 'There is no server at this address that shares'],
  unsupported: [400, 'The server of the link does not let it be saved at other servers'],
  refused: [
    400,
    'The server of the link refused: the link does not exist or cannot be saved, or its password is another one',
  ],
};

/** An expected refusal of a call that saves another server's link. */
export class LinkRefused extends Error {
  /** HTTP status and code of OCS. */
  readonly code: number;

  /** @param words the other server's own; empty for none */
  constructor(
    readonly refusal: LinkRefusal,
    words = '',
  ) {
    const [code, sentence] = SENTENCES[refusal];
    super(words === '' ? sentence : `${sentence} (${words})`);
    this.code = code;
  }
}
