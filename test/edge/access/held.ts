import { ADMIN } from '#testing';
import type { Caller } from './matrix-rows';

/** Uids of the callers that have an account. */
export const UIDS: Readonly<Partial<Record<Caller, string>>> = {
  ...{ stranger: 'sten', pending: 'penny', accepted: 'rick', member: 'gwen' },
  ...{ owner: 'olga', initiator: 'ian', groupAdmin: 'gus', admin: ADMIN.uid },
};

/** In the file that is read, and nowhere else. */
export const CONTENT = 'content for its permitted readers only';

/** Secrets of federated shares that we gave: to the two partners, one that nobody took yet, one that a partner asked for. */
export const SECRETS = {
  partner: 'SecretOfTheRightPartner',
  another: 'SecretOfAnotherPartner',
  untaken: 'SecretOfTheUntakenShare',
  askedFor: 'SecretOfTheAskedForShare',
};
export type Given = keyof typeof SECRETS;
/** Of shares that we received. */
export const RECEIVED_SECRETS = { pending: 'SecretOfThePendingOffer', accepted: 'SecretOfTheTakenOffer' };
export const COMMON_SECRET = 'SecretInCommonWith32Letters00000';
export const HANDSHAKE_TOKENS = { partner: 'TokenForThePartn', another: 'TokenForAnotherP' };
export const LINK_PASSWORD = 'of-the-locked-link';

/** Ids and tokens of what calls are about. */
export interface Held {
  /** Shares by the caller that they belong to: the initiator's is the one that they made. */
  readonly shares: Readonly<Record<'pending' | 'accepted' | 'member' | 'initiator', string>>;
  readonly link: { readonly id: string; readonly token: string };
  readonly lockedLink: { readonly id: string; readonly token: string };
  /** Provider ids of the federated shares that the owner gave. */
  readonly given: Readonly<Record<Given, string>>;
  /** A share of the owner that somebody at a partner left. */
  readonly endedShare: string;
  /** Ids of what partners offered. */
  readonly received: Readonly<Record<'pending' | 'accepted', string>>;
  /** @returns an access token as the partner gets it for the secret of its share; it holds for a quarter of an hour */
  accessToken(): string;
  readonly invitation: { readonly id: string; readonly token: string };
  /** The server that would take the acceptance of an invitation, and an offer. */
  readonly inviter: string;
  readonly contact: string;
  readonly notification: string;
  /** Of the folder that calls are about. */
  readonly nodeId: string;
  /** Of the file in it that no call changes. */
  readonly keptId: string;
  /** A move of the owner that goes on in the background. */
  readonly moveId: string;
  /** Two files that the owner deleted: one that is read and restored, and one that is removed for good. */
  readonly trashed: readonly [kept: Trashed, removed: Trashed];
  /** A file in the folder that calls are about, with two versions: one that is read and restored, and one that is removed. */
  readonly versioned: {
    readonly fileId: string;
    readonly versions: readonly [kept: string, removed: string];
  };
}

export interface Trashed {
  readonly id: string;
  /** With the second of the deletion. */
  readonly name: string;
}
