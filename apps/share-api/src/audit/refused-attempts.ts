import { Injectable } from '@nestjs/common';
import { AuditRepository } from '#persistence';
import { SharingFailed, type SharingFailure } from '#sharing';

/** Refusals of valid requests because of an administrator's rule, or another person's right. */
const BY_POLICY: readonly SharingFailure[] = [
  'api-disabled',
  'expiry-too-far',
  'expiry-enforced',
  'group-sharing-disabled',
  'group-sharing-off',
  'group-blacklisted',
  'links-disabled',
  'links-off',
  'link-creation-limited',
  'link-upload-off',
  'link-password-enforced',
  'public-upload-disabled',
  'remote-disabled',
  'remote-not-allowed',
  'remote-address-forbidden',
  'remote-not-invited',
  'sharer-excluded',
  'not-shareable',
  'permissions-exceeded',
  'attributes-exceeded',
  'attributes-not-carried',
  'only-group-members',
  'only-membership-groups',
  'update-not-allowed',
  'delete-not-allowed',
  'only-recipient',
];

/** Actions on a share, in the words of the audit log. */
type ShareAction = 'share.create' | 'share.update' | 'share.delete' | 'share.accept' | 'share.decline';

/** Records requests of users that the policy refused. Granted changes are recorded where they are written. */
@Injectable()
export class RefusedAttempts {
  constructor(private readonly audit: AuditRepository) {}

  /** Does `work`, and records it if the policy refuses it. @param shareId null for a new one */
  async watch<T>(action: ShareAction, shareId: number | null, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof SharingFailed && BY_POLICY.includes(error.failure))
        await this.record(action, shareId, error.failure);
      throw error;
    }
  }

  /** Records that a user wanted to accept an invitation of a forbidden partner. */
  async barredInvitation(hostKey: string): Promise<void> {
    await this.audit.recordRefusal('invitation.take', ['partner', hostKey], { reason: 'barred' });
  }

  /** Records that a user wanted to save a link of a partner whose offers are not accepted. */
  async barredLink(hostKey: string): Promise<void> {
    await this.audit.recordRefusal('foreign-link.save', ['partner', hostKey], { reason: 'barred' });
  }

  private async record(action: ShareAction, shareId: number | null, reason: SharingFailure): Promise<void> {
    await this.audit.recordRefusal(action, ['share', shareId === null ? null : String(shareId)], { reason });
  }
}
