import { Inject, Injectable } from '@nestjs/common';
import { AccountEndRepository, AccountEndSteps, type AccountEndPreview, type SourceName } from '#persistence';
import { AccountDirectory } from '../account-directory';
import { ProvisioningFailed, unlessLastAdministrator } from '../provisioning-failed';

/** Maximum of ends that one run of the worker handles. */
const ENDS_AT_ONCE = 100;
/** Longest grace period in days. */
const MOST_GRACE_DAYS = 3650;

/** Options for the end of an account. */
export interface EndOfAccount {
  /** Account that gets files and shares; absent: they are removed. */
  readonly transferTo?: string;
  /** Days until the deletion. Default: none for a transfer, the setting for a removal. */
  readonly graceDays?: number;
}

/** The state of an account's end. */
export interface EndState {
  readonly uid: string;
  readonly transferTo: string | null;
  readonly requestedAt: Date;
  /** Until this time it can be undone. */
  readonly dueAt: Date;
  /** null: the deletion has not begun. */
  readonly beganAt: Date | null;
}

/** The end of accounts: preview, request, undo, and the deletion itself. Callers check permissions before. */
@Injectable()
export class AccountEnds {
  constructor(
    private readonly ends: AccountEndRepository,
    @Inject(AccountEndSteps) private readonly steps: AccountEndSteps,
    private readonly directory: AccountDirectory,
  ) {}

  /**
   * Numbers of files and shares that would be transferred or removed.
   * @throws ProvisioningFailed user-unknown, account-end-refused
   */
  async preview(uid: string, end: EndOfAccount = {}): Promise<AccountEndPreview> {
    return this.ends.preview((await this.checked(uid, end)).uid);
  }

  /** @returns undefined if no end was requested @throws ProvisioningFailed user-unknown */
  async state(uid: string): Promise<EndState | undefined> {
    const found = await this.ends.find(await this.idOf(uid));
    if (!found) return undefined;
    const { successorUid: transferTo, requestedAt, dueAt, beganAt } = found;
    return { uid: found.uid, transferTo, requestedAt, dueAt, beganAt };
  }

  /**
   * Disables the account now, and deletes it after the grace period.
   * @throws ProvisioningFailed user-unknown, account-end-refused, last-administrator
   */
  async request(uid: string, end: EndOfAccount): Promise<EndState> {
    const { state, isNew } = await this.requested(uid, end);
    if (!isNew || !state) throw partOfAnotherEnd();
    return state;
  }

  /**
   * Requests the end for a source that no longer has the person. An end that was requested before stays whose it is.
   * @returns whether the end is that of the source
   * @throws ProvisioningFailed user-unknown, account-end-refused
   */
  async requestBy(source: SourceName, uid: string): Promise<boolean> {
    const { state, isNew } = await this.requested(uid, {}, source);
    if (!state) throw partOfAnotherEnd();
    return isNew;
  }

  /** Restores the account. @throws ProvisioningFailed user-unknown, account-end-refused */
  async undo(uid: string): Promise<void> {
    const own = await this.idOf(uid);
    if (!(await this.ends.undo(own))) throw refused('No end was asked for, or it has begun already');
    this.directory.changed(own);
  }

  /**
   * Restores the account for a source that has the person again, if the source requested the end.
   * @returns false if an end remains: somebody else requested it, or the deletion has begun
   * @throws ProvisioningFailed user-unknown
   */
  async undoBy(source: SourceName, uid: string): Promise<boolean> {
    const own = await this.idOf(uid);
    if (!(await this.ends.undo(own, source))) return !(await this.ends.find(own));
    this.directory.changed(own);
    return true;
  }

  /** Does the due work for one account. @returns whether the account is gone now */
  async finish(uid: string, stopping: AbortSignal = new AbortController().signal): Promise<boolean> {
    for (let step = await this.steps.next(uid); ; step = await this.steps.next(uid)) {
      if (step === 'ended') this.directory.changed(uid);
      if (step !== 'more' || stopping.aborted) return step === 'ended';
    }
  }

  /** Does all due work. An account that cannot be deleted now does not block others. @throws the first failure */
  async finishDue(): Promise<void> {
    const failures: unknown[] = [];
    for (const uid of await this.ends.due(ENDS_AT_ONCE))
      await this.finish(uid).catch((failure: unknown) => failures.push(failure));
    if (failures.length > 0) throw failures[0];
  }

  private async requested(uid: string, end: EndOfAccount, by?: SourceName) {
    const wish = await this.checked(uid, end);
    const isNew = await unlessLastAdministrator(() => this.ends.request(wish, by));
    this.directory.changed(wish.uid);
    return { state: await this.state(wish.uid), isNew };
  }

  /** @throws ProvisioningFailed user-unknown, account-end-refused */
  private async checked(uid: string, end: EndOfAccount) {
    const graceDays = end.graceDays ?? (end.transferTo === undefined ? null : 0);
    if (
      graceDays !== null &&
      !(Number.isInteger(graceDays) && graceDays >= 0 && graceDays <= MOST_GRACE_DAYS)
    )
      throw refused(`The grace time is a number of days from 0 to ${MOST_GRACE_DAYS}`);
    const own = await this.idOf(uid);
    const successorUid = end.transferTo === undefined ? null : await this.successor(end.transferTo, own);
    return { uid: own, successorUid, graceDays };
  }

  private async idOf(uid: string): Promise<string> {
    const account = await this.directory.find(uid);
    if (!account) throw new ProvisioningFailed('user-unknown', 'The requested user could not be found');
    return account.uid;
  }

  private async successor(uid: string, own: string): Promise<string> {
    const account = await this.directory.find(uid);
    if (!account?.enabled) throw refused('There is no such account that could get the files');
    if (account.uid === own) throw refused('An account cannot get its own files');
    return account.uid;
  }
}

const partOfAnotherEnd = (): ProvisioningFailed =>
  refused('This account, or the one that would get its files, is part of another end already');

const refused = (message: string): ProvisioningFailed =>
  new ProvisioningFailed('account-end-refused', message);
