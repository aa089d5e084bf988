import type { FailureClass } from '../messages/failure';
import { decideProfile, type ProfileOptions } from '../peers/decide-profile';
import type { PeerProfile } from '../peers/peer-profile';
import type { OcmDocument, OcsDocument } from './read-documents';

/** Paths of the documents in which OCM servers describe themselves, in the order of our requests. Source: federation-facts 2. */
export const OCM_PROBES = ['/.well-known/ocm', '/ocm-provider/', '/ocm-provider'] as const;
/** Path of the document of the legacy dialect. */
export const LEGACY_PROBE = '/ocs-provider/';

/** Result of one request. */
export type Probe<Document> =
  | { readonly kind: 'document'; readonly document: Document }
  /** The server answered without such a document. */
  | { readonly kind: 'none' }
  /** The server failed, so nothing can be concluded. */
  | { readonly kind: 'failed'; readonly errorClass: FailureClass };

export type DiscoveryConclusion =
  | { readonly kind: 'partner'; readonly profile: PeerProfile }
  /** Every request was answered, and the server does not support sharing. */
  | { readonly kind: 'no-partner' }
  | { readonly kind: 'inconclusive'; readonly errorClass: FailureClass };

/**
 * Combines the answers. A failed request counts only if no other one gave a document: a server with
 * trouble must not look like one that speaks only the legacy dialect, or like no partner.
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
