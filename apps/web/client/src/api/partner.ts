import { ocs } from './ocs';
import type { Partner } from './operators';

const PARTNERS = 'apps/drawbridge/api/v1/partners';

/** Facts about one partner. Times are ISO 8601. */
export interface PartnerDetails extends Partner {
  readonly outgoingTrust: string | null;
  readonly signatures: string | null;
  readonly signs: boolean;
  readonly contentBreaker: string;
  readonly openUntil: string | null;
  readonly aliasOf: string | null;
  readonly discoveryError: string | null;
  readonly lastDelivery: string | null;
  readonly concurrency: number;
  readonly ratePerSecond: number;
  readonly rateBurst: number;
  readonly signBy: string | null;
  readonly ignoresUnreadable: boolean;
  readonly pinnedDialects: string[] | null;
  readonly speaks: {
    readonly product: string;
    readonly address: string;
    readonly dialects: string[];
    readonly signedBy: string;
  } | null;
  readonly keys: { readonly keyId: string; readonly kind: string; readonly fingerprint: string }[];
  readonly failures: {
    readonly messageId: number;
    readonly at: string;
    readonly errorClass: string;
    readonly error: string | null;
    readonly httpStatus: number | null;
  }[];
}

export const readPartner = (host: string): Promise<PartnerDetails> =>
  ocs('GET', `${PARTNERS}/details`, { host });
export const probePartner = (host: string): Promise<unknown> => ocs('POST', `${PARTNERS}/probe`, { host });
export const pausePartner = (host: string): Promise<unknown> => ocs('POST', `${PARTNERS}/pause`, { host });
export const resumePartner = (host: string): Promise<unknown> => ocs('POST', `${PARTNERS}/resume`, { host });
/** @param dialects separated by commas */
export const pinPartner = (host: string, dialects: string): Promise<unknown> =>
  ocs('POST', `${PARTNERS}/pin`, { host, dialects });
export const unpinPartner = (host: string): Promise<unknown> => ocs('DELETE', `${PARTNERS}/pin`, { host });
export const signTo = (host: string, sign: string, unreadable: string): Promise<unknown> =>
  ocs('POST', `${PARTNERS}/signatures`, { host, sign, unreadable });
export const limitPartner = (host: string, limits: Readonly<Record<string, string>>): Promise<unknown> =>
  ocs('POST', `${PARTNERS}/limits`, { host, ...limits });

/** Rows that a rename would move, or has moved. */
export interface RenamePlan {
  readonly shares: number;
  readonly receivedShares: number;
  readonly messages: number;
  readonly members: number;
  /** Received shares that the new host offered itself already. */
  readonly staying: number;
}
export interface RenameResult {
  /** While it is `waiting`, another request waits for the same rename. */
  readonly state: 'waiting' | 'renamed' | 'refused';
  readonly reason?: 'new-host' | 'old-host' | 'shows-none' | 'shows-anybody';
  /** Failure of the requested host. */
  readonly words?: string;
}
/** Only counts rows: neither host is called. */
export const planRename = (host: string, newHost: string): Promise<RenamePlan> =>
  ocs('GET', `${PARTNERS}/rename`, { host, newHost });
/** Both hosts are called, and the new one has to show shares of the old one. */
export const renamePartner = (host: string, newHost: string, isOldHostGone: boolean): Promise<RenameResult> =>
  ocs('POST', `${PARTNERS}/rename`, { host, newHost, oldHostGone: isOldHostGone ? '1' : '0' });
