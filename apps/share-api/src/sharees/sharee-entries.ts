import type { OcsValue } from '#ocs/protocol';
import { SHARE_TYPES, type ShareeRemote, type Sharees, type ShareeUser } from '#sharing';

/** This instance has no guest accounts. */
const NORMAL_USER = 0;

/** The seven lists that clients always expect. Source: ocs-facts 9. */
export function shareesData({ users, groups, remotes }: Sharees): OcsValue {
  return {
    exact: {
      users: users.exact.map(userEntry),
      groups: groups.exact.map(groupEntry),
      remotes: remotes.exact.map(remoteEntry),
    },
    users: users.parts.map(userEntry),
    groups: groups.parts.map(groupEntry),
    remotes: remotes.parts.map(remoteEntry),
  };
}

/** Deployed servers omit the type of user if only the whole id matched. */
function userEntry({ uid, displayName, additionalInfo, withinScope }: ShareeUser): OcsValue {
  return {
    label: displayName,
    value: {
      shareType: SHARE_TYPES.user,
      shareWith: uid,
      ...(withinScope ? { userType: NORMAL_USER } : {}),
      ...(additionalInfo === null ? {} : { shareWithAdditionalInfo: additionalInfo }),
    },
  };
}

const groupEntry = (gid: string): OcsValue => ({
  label: gid,
  value: { shareType: SHARE_TYPES.group, shareWith: gid },
});

/** Nothing is known of a typed id, but it contains its server. */
const remoteEntry = ({ cloudId, label, contact }: ShareeRemote): OcsValue => ({
  label,
  value: {
    shareType: SHARE_TYPES.federated,
    shareWith: cloudId,
    ...(contact && { server: contact.server, verified: contact.isVerified }),
    ...(contact && contact.mail !== '' && { shareWithAdditionalInfo: contact.mail }),
    ...(contact && contact.organisation !== '' && { organisation: contact.organisation }),
  },
});
