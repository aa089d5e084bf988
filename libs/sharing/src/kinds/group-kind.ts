import { SHARE_TYPES, type GroupShare } from '../domain/share';
import { SharingFailed } from '../domain/sharing-failed';
import {
  requestedPermissions,
  changeOfRecipientShare,
  draftFields,
  targetBelowShareFolder,
  unlimited,
} from './recipient-share';
import type { ShareContext, ShareKind } from './share-kind';

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
  async assertAllowed(context, gid) {
    assertMembership(context, gid);
    return Promise.resolve();
  },
  async assertStillAllowed(context, { recipientGid }) {
    if (!context.policy.groupSharing) throw new SharingFailed('group-sharing-off');
    assertMembership(context, recipientGid);
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
  decideChange: changeOfRecipientShare,
  recipientFields: ({ recipientGid }) => ({
    shareWith: recipientGid,
    shareWithDisplayname: recipientGid,
  }),
};

/** @throws SharingFailed only-membership-groups */
function assertMembership({ policy, caller }: ShareContext, gid: string): void {
  if (policy.onlyMembershipGroups && !caller.groups.includes(gid))
    throw new SharingFailed('only-membership-groups');
}
