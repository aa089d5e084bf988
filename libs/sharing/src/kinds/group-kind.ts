import { SHARE_TYPES, type GroupShare } from '../domain/share';
import { SharingFailed } from '../domain/sharing-failed';
import {
  requestedPermissions,
  changeOfRecipientShare,
  draftFields,
  targetBelowShareFolder,
  unlimited,
} from './recipient-share';
import type { ShareKind } from './share-kind';

/** Shares with a group of this instance. */
export const GROUP_KIND: ShareKind<string, GroupShare> = {
  type: SHARE_TYPES.group,
  name: 'group',
  expiryScope: 'group',
  takesLinkArguments: false,
  isOncePerRecipient: true,
  isPlacedHere: true,
  enforcesAttributes: true,
  isListed: () => true,
  async findRecipient({ ports, policy, command }) {
    if (!policy.groupSharing) throw new SharingFailed('group-sharing-disabled');
    const gid = command.shareWith;
    if (!gid || !(await ports.directory.groupExists(gid))) throw new SharingFailed('group-unknown');
    if (policy.blacklistedReceiverGroups.includes(gid)) throw new SharingFailed('group-blacklisted');
    return gid;
  },
  requestedPermissions,
  isCaller: () => false,
  async assertAllowed({ policy, caller }, gid) {
    if (policy.onlyMembershipGroups && !caller.groups.includes(gid))
      throw new SharingFailed('only-membership-groups');
    return Promise.resolve();
  },
  newShare: (context, gid, draft) =>
    Promise.resolve({
      ...draftFields(context, draft),
      type: SHARE_TYPES.group,
      recipient: gid,
      fileTarget: targetBelowShareFolder(context),
      initialState: context.policy.autoAccept ? 'accepted' : 'pending',
    }),
  duplicate: 'already-shared-group',
  permissionsLimit: unlimited,
  decideChange(change) {
    if (!change.policy.groupSharing) throw new SharingFailed('group-sharing-off');
    return changeOfRecipientShare(change);
  },
  recipientFields: ({ recipientGid }) => ({
    shareWith: recipientGid,
    shareWithDisplayname: recipientGid,
  }),
};
