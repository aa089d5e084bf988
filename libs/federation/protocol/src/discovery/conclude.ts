import type { FailureClass } from '../messages/failure';
import { decideProfile, type ProfileOptions } from '../peers/decide-profile';
import type { PeerProfile } from '../peers/peer-profile';
import type { OcmDocument, OcsDocument } from './read-documents';

/** Where OCM servers describe themselves, in the order in which we ask. Source: federation-facts 2. */
export const OCM_PROBES = ['/.well-known/ocm', '/ocm-provider/', '/ocm-provider'] as const;
/** Where servers of the legacy dialect do. */
export const LEGACY_PROBE = '/ocs-provider/';

/** Result of one question. */
export type Probe<Document> =
  | { readonly kind: 'document'; readonly document: Document }
  /** The server answered, and it was no such document. */
  | { readonly kind: 'none' }
  /** The server failed: nothing can be concluded. */
  | { readonly kind: 'failed'; readonly errorClass: FailureClass };

export type DiscoveryConclusion =
  | { readonly kind: 'partner'; readonly profile: PeerProfile }
  /** Every question was answered, and nothing here shares. */
  | { readonly kind: 'no-partner' }
  | { readonly kind: 'inconclusive'; readonly errorClass: FailureClass };

/**
 * Puts the answers together. A failed question only counts where no other one brought a document: a server with
 * trouble is never taken for one that speaks the legacy dialect only, or for no partner.
 */
export function concludeDiscovery(
  baseUrl: string,
  ocmProbes: readonly Probe<OcmDocument>[],
  ocsProbe: Probe<OcsDocument>,
  options: ProfileOptions,
): DiscoveryConclusion {
  const ocm = ocmProbes.find((probe) => probe.kind === 'document')?.document;
  const failed = ocmProbes.find((probe) => probe.kind === 'failed');
  if (!ocm && failed) return { kind: 'inconclusive', errorClass: failed.errorClass };
  const ocs = ocsProbe.kind === 'document' ? ocsProbe.document : undefined;
  const profile = decideProfile({ baseUrl, ocm, ocs }, options);
  if (profile) return { kind: 'partner', profile };
  return ocsProbe.kind === 'failed'
    ? { kind: 'inconclusive', errorClass: ocsProbe.errorClass }
    : { kind: 'no-partner' };
}
