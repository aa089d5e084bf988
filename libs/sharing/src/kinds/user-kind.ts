import { SHARE_TYPES, type UserShare } from '../domain/share';
import { SharingFailed } from '../domain/sharing-failed';
import type { KnownUser } from '../ports/ports';
import {
  requestedPermissions,
  changeOfRecipientShare,
  draftFields,
  targetBelowShareFolder,
  unlimited,
} from './recipient-share';
import type { NewShareContext, ShareContext, ShareKind } from './share-kind';

/** Shares with an account of this instance. */
export const USER_KIND: ShareKind<KnownUser, UserShare> = {
  type: SHARE_TYPES.user,
  name: 'user',
  expiryScope: 'user',
  takesLinkArguments: false,
  isOncePerRecipient: true,
  isPlacedHere: true,
  enforcesAttributes: true,
  isListed: () => true,
  async findRecipient({ ports, command }) {
    const user = command.shareWith ? await ports.directory.user(command.shareWith) : undefined;
    if (!user) throw new SharingFailed('user-unknown');
    return user;
  },
  requestedPermissions,
  isCaller: ({ uid }, caller) => uid === caller.uid,
  assertAllowed,
  async assertStillAllowed(context, { recipientUid }) {
    if (context.policy.onlyGroupMembers)
      assertCommonGroup(context, await context.ports.directory.user(recipientUid));
  },
  newShare: (context, { uid, autoAccept }, draft) =>
    Promise.resolve({
      ...draftFields(context, draft),
      type: SHARE_TYPES.user,
      recipient: uid,
      fileTarget: targetBelowShareFolder(context),
      initialState: context.policy.autoAccept && autoAccept ? 'accepted' : 'pending',
    }),
  duplicate: 'already-shared-user',
  permissionsLimit: unlimited,
  decideChange: changeOfRecipientShare,
  recipientFields: ({ recipientUid }, names) => ({
    shareWith: recipientUid,
    shareWithDisplayname: names.displayName(recipientUid),
    shareWithUserType: 0,
    shareWithAdditionalInfo: names.additionalInfo(recipientUid),
  }),
};

async function assertAllowed(context: NewShareContext, user: KnownUser): Promise<void> {
  assertCommonGroup(context, user);
  if (user.uid === context.node.ownerUid) throw new SharingFailed('with-owner');
  return Promise.resolve();
}

/** @throws SharingFailed only-group-members */
function assertCommonGroup({ policy, caller }: ShareContext, user: KnownUser | undefined): void {
  if (policy.onlyGroupMembers && !user?.groups.some((gid) => caller.groups.includes(gid)))
    throw new SharingFailed('only-group-members');
}
