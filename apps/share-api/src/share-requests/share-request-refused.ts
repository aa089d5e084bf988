import { OcsFailure } from '#ocs/http';

export type ShareRequestRefusal =
  | 'off'
  | 'barred'
  | 'contact-unknown'
  | 'share-invalid'
  | 'too-many'
  | 'nothing-there';

const ANSWERS: Readonly<Record<ShareRequestRefusal, readonly [code: number, message: string]>> = {
  off: [403, 'Shares of other servers are not taken here'],
  barred: [403, 'Sharing with this server is not allowed by the administrator'],
  'contact-unknown': [404, 'There is no such contact'],
  'share-invalid': [400, 'share is the id or the address of a file or folder at the server of the contact'],
  'too-many': [403, 'There are too many requests; take some back, or wait'],
  'nothing-there': [404, 'There is no such request'],
};

/** An expected refusal of a call about requests for shares. */
export class ShareRequestRefused extends Error {
  constructor(readonly refusal: ShareRequestRefusal) {
    super(refusal);
  }
}

/** Converts refusals of calls about requests for shares into OCS failures. */
export function shareRequestFailure(error: unknown): OcsFailure | undefined {
  return error instanceof ShareRequestRefused ? new OcsFailure(...ANSWERS[error.refusal]) : undefined;
}
