import { ADMIN } from '#testing';
import type { Caller } from './matrix-rows';

/** Uids of the callers with an account. */
export const UIDS: Readonly<Partial<Record<Caller, string>>> = {
  ...{ stranger: 'sten', pending: 'penny', accepted: 'rick', member: 'gwen' },
  ...{ owner: 'olga', initiator: 'ian', groupAdmin: 'gus', admin: ADMIN.uid },
};

/** Text that is only in the file of the reads. */
export const CONTENT = 'content for its permitted readers only';

/**
 * Secrets of our federated shares: shares to the two partners, a share that is not accepted yet, and a share that a
 * partner requested.
 */
export const SECRETS = {
  partner: 'SecretOfTheRightPartner',
  another: 'SecretOfAnotherPartner',
  untaken: 'SecretOfTheUntakenShare',
  askedFor: 'SecretOfTheAskedForShare',
};
export type Given = keyof typeof SECRETS;
/** Secrets of received shares. */
export const RECEIVED_SECRETS = { pending: 'SecretOfThePendingOffer', accepted: 'SecretOfTheTakenOffer' };
export const COMMON_SECRET = 'SecretInCommonWith32Letters00000';
export const HANDSHAKE_TOKENS = { partner: 'TokenForThePartn', another: 'TokenForAnotherP' };
export const LINK_PASSWORD = 'of-the-locked-link';

/** Ids and tokens of the objects of calls. */
export interface Held {
  /** Shares by caller; the initiator's share is the one that they made. */
  readonly shares: Readonly<Record<'pending' | 'accepted' | 'member' | 'initiator', string>>;
  readonly link: { readonly id: string; readonly token: string };
  readonly lockedLink: { readonly id: string; readonly token: string };
  /** Provider ids of the federated shares that the owner gave. */
  readonly given: Readonly<Record<Given, string>>;
  /** A share of the owner that a person at a partner left. */
  readonly endedShare: string;
  /** Ids of the partners' offers. */
  readonly received: Readonly<Record<'pending' | 'accepted', string>>;
  /** @returns an access token as the partner gets it for the secret of its share; it is valid for a quarter of an hour */
  accessToken(): string;
  readonly invitation: { readonly id: string; readonly token: string };
  /** The server that would get the acceptance of an invitation, and an offer. */
  readonly inviter: string;
  readonly contact: string;
  /** A request of the owner of the contact to somebody at another server for a share. */
  readonly shareRequest: string;
  readonly notification: string;
  /** Id of the folder of the calls. */
  readonly nodeId: string;
  /** Id of the file in it that no call changes. */
  readonly keptId: string;
  /** A move of the owner in the background. */
  readonly moveId: string;
  /** Two deleted files of the owner: one to read and restore, and one to remove permanently. */
  readonly trashed: readonly [kept: Trashed, removed: Trashed];
  /** A file in the folder of the calls, with two versions: one to read and restore, and one to remove. */
  readonly versioned: {
    readonly fileId: string;
    readonly versions: readonly [kept: string, removed: string];
  };
}

export interface Trashed {
  readonly id: string;
  /** Name with the second of the deletion. */
  readonly name: string;
}
