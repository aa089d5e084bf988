import { REMOTE_GROUP_TYPE, type FederatedShare } from '../domain/share';
import { SharingFailed } from '../domain/sharing-failed';
import { FEDERATED_KIND, storeFederated } from './federated-kind';
import type { ShareKind } from './share-kind';

/**
 * Shares with a group of another instance: one offer for all its members. They are stored as federated shares, whose descriptor decides
 * about them from then on. While a setting does not allow them, the type is unknown, as the interface document says.
 */
export const REMOTE_GROUP_KIND: ShareKind<string, FederatedShare> = {
  ...FEDERATED_KIND,
  type: REMOTE_GROUP_TYPE,
  name: 'remote-group',
  // No row has this type.
  isOncePerRecipient: false,
  findRecipient(context) {
    if (!context.policy.federation.outgoingToGroups) throw new SharingFailed('share-type-unknown');
    return FEDERATED_KIND.findRecipient(context);
  },
  store: (context, shareWith, draft) => storeFederated(context, shareWith, draft, true),
};
