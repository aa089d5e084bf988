import { baseUrlOf, spellCloudId } from '../addresses/spelling';
import { SecretText } from '../secret-text';
import type { PeerProfile } from '../peers/peer-profile';
import type { LegacyAction } from '../wire/notice';
import type { OutgoingNotice, OutgoingShare, WireRequest } from './partner-message';

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

const ACTIONS: Readonly<Record<OutgoingNotice['kind'], LegacyAction | undefined>> = {
  accepted: 'accept',
  declined: 'decline',
  unshared: 'unshare',
  'reshare-undone': 'revoke',
  'reshare-permissions': 'permissions',
  'reshare-request': 'reshare',
  // Recipients see it in the share's properties.
  'share-permissions': undefined,
};

/**
 * `POST {share}/{id}/{action}?format=json`.
 * @returns undefined where the dialect has no such message
 */
export function legacyNotice(notice: OutgoingNotice, profile: PeerProfile): WireRequest | undefined {
  const action = ACTIONS[notice.kind];
  if (action === undefined) return undefined;
  return post(profile, `/${encodeURIComponent(notice.providerId)}/${action}`, noticeForm(notice));
}

function noticeForm(notice: OutgoingNotice): Record<string, string> {
  const token = notice.sharedSecret.reveal();
  switch (notice.kind) {
    case 'reshare-permissions':
      return { token, permissions: String(notice.permissions) };
    case 'reshare-request':
      return {
        shareWith: spellCloudId(notice.shareWith, 'as-written'),
        token,
        permission: String(notice.permissions),
        remoteId: notice.requesterShareId,
      };
    case 'accepted':
    case 'declined':
    case 'unshared':
    case 'reshare-undone':
    case 'share-permissions':
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
