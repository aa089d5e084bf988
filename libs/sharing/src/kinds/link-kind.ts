import { permissionsFromAttributes } from '../domain/attributes';
import { differencesOf } from '../domain/compatibility';
import {
  assertLinkAllowed,
  assertLinkPassword,
  changedLinkPermissions,
  newLinkPermissions,
  parseLinkName,
} from '../domain/link-rules';
import { mayCreateLinks } from '../domain/policy';
import { SHARE_TYPES, type LinkShare } from '../domain/share';
import { SharingFailed } from '../domain/sharing-failed';
import type { ShareChange } from '../ports/ports';
import { nameInTreeOf } from './command-path';
import { draftFields, unlimited } from './recipient-share';
import type { ChangeContext, NewShareContext, ShareKind } from './share-kind';

/** Shown in place of a password. */
const REDACTED = '***redacted***';

/** Public links: shares for everybody who knows the token. */
export const LINK_KIND: ShareKind<null, LinkShare> = {
  type: SHARE_TYPES.link,
  name: 'link',
  expiryScope: 'link',
  takesLinkArguments: true,
  isOncePerRecipient: false,
  isPlacedHere: false,
  enforcesAttributes: true,
  isListed: () => true,
  async findRecipient({ policy, caller }) {
    if (!policy.links.enabled) throw new SharingFailed('links-disabled');
    if (!mayCreateLinks(policy, caller.groups)) throw new SharingFailed('link-creation-limited');
    return Promise.resolve(null);
  },
  requestedPermissions: asked,
  isCaller: () => false,
  async assertAllowed(context) {
    assertLinkAllowed(asked(context), Boolean(context.command.password), context.policy);
    return Promise.resolve();
  },
  assertStillAllowed: () => Promise.resolve(),
  async newShare(context, _none, draft) {
    const { ports, policy, command } = context;
    const name = parseLinkName(command.name ?? '');
    if (command.password) assertLinkPassword(command.password, policy);
    const passwordHash = command.password ? await ports.linkSecrets.hashPassword(command.password) : null;
    return {
      ...draftFields(context, draft),
      type: SHARE_TYPES.link,
      shareToken: ports.linkSecrets.newToken(),
      passwordHash,
      name,
      fileTarget: `/${nameInTreeOf(command)}`,
    };
  },
  duplicate: 'share-unknown',
  permissionsLimit: unlimited,
  decideChange,
  recipientFields: ({ hasPassword, name, shareToken }, { publicUrl }) => ({
    shareWith: hasPassword ? REDACTED : undefined,
    shareWithDisplayname: hasPassword ? REDACTED : undefined,
    name,
    url: `${publicUrl}/index.php/s/${shareToken}`,
  }),
};

function asked({ ports, policy, node, command }: NewShareContext): number {
  return newLinkPermissions(command, node.kind, policy, differencesOf(ports.compatibility).fileLinkMayUpdate);
}

function decideChange(change: ChangeContext, share: LinkShare): ShareChange {
  const { policy, command, passwordHash } = change;
  const fromAttributes = command.attributes && permissionsFromAttributes(command.attributes);
  const wish = { permissions: command.permissions ?? fromAttributes, publicUpload: command.publicUpload };
  const mayChange = differencesOf(change.ports.compatibility).linkPermissionsChange;
  const wanted = changedLinkPermissions(wish, share.node.kind, policy, mayChange);
  const expiry = change.expiry();
  if (!policy.links.enabled) throw new SharingFailed('links-off');
  const permissions = wanted === undefined ? undefined : change.permissions(wanted);
  const hasPassword = passwordHash === undefined ? share.hasPassword : passwordHash !== null;
  if (permissions !== undefined || hasPassword !== share.hasPassword)
    assertLinkAllowed(permissions ?? share.permissions, hasPassword, policy);
  return {
    ...expiry,
    ...(permissions === undefined ? {} : { permissions }),
    ...(command.name === undefined ? {} : { name: parseLinkName(command.name) }),
    ...(passwordHash === undefined ? {} : { passwordHash }),
  };
}
