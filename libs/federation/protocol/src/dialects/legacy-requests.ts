import { baseUrlOf, spellCloudId } from '../addresses/spelling';
import { SecretText } from '../secret-text';
import type { PeerProfile } from '../peers/peer-profile';
import { EVENTS, isLegacyEvent, type LegacyEvent } from '../messages/partner-events';
import type { OutgoingNotice, OutgoingShare, WireRequest } from '../messages/partner-message';

/** `POST {share}?format=json`. */
export function legacyOffer(share: OutgoingShare, profile: PeerProfile): WireRequest {
  const { owner, sender } = share;
  const isReshare = sender.cloudId.canonical !== owner.cloudId.canonical;
  return post(profile, '', {
    shareWith: share.shareWith.userAsWritten,
    token: share.sharedSecret.reveal(),
    name: share.name,
    remoteId: share.providerId,
    owner: owner.cloudId.user,
    ownerFederatedId: spellCloudId(owner.cloudId, 'with-scheme'),
    sharedBy: sender.cloudId.user,
    sharedByFederatedId: spellCloudId(sender.cloudId, isReshare ? 'as-written' : 'with-scheme'),
    remote: `${baseUrlOf(owner.cloudId, owner.cloudId.scheme ?? 'https')}/`,
  });
}

/**
 * `POST {share}/{id}/{action}?format=json`.
 * @returns undefined if the dialect has no such message
 */
export function legacyNotice(notice: OutgoingNotice, profile: PeerProfile): WireRequest | undefined {
  if (!hasLegacyForm(notice)) return undefined;
  const { legacy: action } = EVENTS[notice.kind];
  return post(profile, `/${encodeURIComponent(notice.providerId)}/${action}`, noticeForm(notice));
}

type LegacyNotice = OutgoingNotice & { readonly kind: LegacyEvent };

const hasLegacyForm = (notice: OutgoingNotice): notice is LegacyNotice => isLegacyEvent(notice.kind);

function noticeForm(notice: LegacyNotice): Record<string, string> {
  const token = notice.sharedSecret.reveal();
  switch (notice.kind) {
    case 'reshare-permissions':
      return { token, permissions: String(notice.permissions) };
    case 'reshare-requested':
      return {
        shareWith: spellCloudId(notice.shareWith, 'as-written'),
        token,
        permission: String(notice.permissions),
        remoteId: notice.requesterShareId,
      };
    case 'share-accepted':
    case 'share-declined':
    case 'share-unshared':
    case 'reshare-undone':
      return { token };
  }
}

function post(profile: PeerProfile, path: string, form: Record<string, string>): WireRequest {
  return {
    method: 'POST',
    url: `${profile.legacyShareUrl}${path}?format=json`,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      'ocs-apirequest': 'true',
    },
    body: new SecretText(new URLSearchParams(form).toString()),
  };
}
