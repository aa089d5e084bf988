import type { OcsValue } from '#ocs/protocol';
import {
  REMOTE_GROUP_TYPE,
  SHARE_TYPES,
  type ShareeRemote,
  type ShareeRemoteGroup,
  type Sharees,
  type ShareeUser,
} from '#sharing';

/** This instance has no guest accounts. */
const NORMAL_USER = 0;

/** The seven lists that clients always expect, and where groups of other servers can be recipients, those. Source: ocs-facts 9. */
export function shareesData({ users, groups, remotes, remoteGroups }: Sharees): OcsValue {
  return {
    exact: {
      users: users.exact.map(userEntry),
      groups: groups.exact.map(groupEntry),
      remotes: remotes.exact.map(remoteEntry),
      ...(remoteGroups && { remote_groups: remoteGroups.map(remoteGroupEntry) }),
    },
    users: users.parts.map(userEntry),
    groups: groups.parts.map(groupEntry),
    remotes: remotes.parts.map(remoteEntry),
    ...(remoteGroups && { remote_groups: [] }),
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

/** The form in which Nextcloud has it. */
const remoteGroupEntry = ({ cloudId, name, server }: ShareeRemoteGroup): OcsValue => ({
  label: `${name} (${server})`,
  guid: name,
  name,
  value: { shareType: REMOTE_GROUP_TYPE, shareWith: cloudId, server },
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
