import { createHash, pbkdf2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Injectable } from '@nestjs/common';
import { boundedCache, PublicAddress, SecretBox } from '#platform';
import type { Account } from './account';
import { AccountDirectory } from './account-directory';
import { AuthenticationFailed } from './authentication-failed';
import { CallLimits } from './call-limits';
import { FairQueue } from './fair-queue';
import { BudgetSpent } from './shared-budgets';
import { addressesToSign, readAddressSignature, type AddressSignature } from './address-signature';

const DIGEST_BYTES = 32;
const REMEMBERED = 10_000;
const MAX_SKEW_MS = 300_000;
/** Threads of the pool that also hashes passwords. */
const AT_ONCE = 1;
const WAITING = 64;

const derive = promisify(pbkdf2);

/** The parts of an account from which its key is derived. */
type Signer = Pick<Account, 'uid' | 'passwordHash'>;
const NOBODY: Signer = { uid: '', passwordHash: '' };

/** A request with an address that a page of the user signed, so that the browser can download without a password. */
export interface SignedAddressRequest {
  readonly method: string;
  /** Path and query, as received. */
  readonly target: string;
  /** Address of the client. */
  readonly address: string;
}

/**
 * Addresses that users sign (`OC-Signature`). Each user has a key, which their clients fetch with the password. It is derived from the
 * account and its password, is stored nowhere, and changes with the password. Source: ocs-facts 15.
 */
@Injectable()
export class SignedAddresses {
  private readonly queue = new FairQueue(AT_ONCE, WAITING);
  /** Signatures that were valid; for example, a video is requested in many parts. */
  private readonly proven = boundedCache<true>(REMEMBERED);

  constructor(
    private readonly accounts: AccountDirectory,
    private readonly secrets: SecretBox,
    private readonly limits: CallLimits,
    private readonly publicAddress: PublicAddress,
  ) {}

  /** The key with which a user's clients sign: 64 characters. */
  keyOf({ uid, passwordHash }: Signer): string {
    return this.secrets.lookup(`key for signed addresses\n${uid}\n${passwordHash}`).toString('hex');
  }

  /** @throws AuthenticationFailed, BudgetSpent */
  async authenticate(request: SignedAddressRequest): Promise<Account> {
    this.limits.assertMayFail(request.address);
    const signature = readAddressSignature(request.target);
    if (!signature || !isInTime(signature) || signature.verb !== request.method.toUpperCase())
      throw new AuthenticationFailed('wrong');
    const account = await this.accounts.find(signature.uid);
    // Does the same amount of work for an unknown user.
    const isRight = await this.isRight(account ?? NOBODY, signature, request);
    if (!account || !isRight) return this.refuse(request.address);
    if (!account.enabled) throw new AuthenticationFailed('disabled');
    return account;
  }

  private async refuse(address: string): Promise<never> {
    const retryAfter = await this.limits.failed(address);
    throw retryAfter === undefined ? new AuthenticationFailed('wrong') : new BudgetSpent(retryAfter);
  }

  private async isRight(
    account: Signer,
    signature: AddressSignature,
    { target, address }: SignedAddressRequest,
  ): Promise<boolean> {
    const key = this.keyOf(account);
    const proof = createHash('sha256').update(`${key}\n${target}`).digest('base64');
    if (this.proven.get(proof)) return true;
    const wanted = Buffer.from(signature.digest, 'hex');
    for (const signed of addressesToSign(this.publicAddress.url, target)) {
      const digest = await this.queue.run(address, () =>
        derive(signed, key, signature.iterations, DIGEST_BYTES, 'sha512'),
      );
      if (wanted.length !== digest.length || !timingSafeEqual(digest, wanted)) continue;
      this.proven.set(proof, true);
      return true;
    }
    return false;
  }
}

function isInTime({ signedAt, seconds }: AddressSignature): boolean {
  const now = Date.now();
  return signedAt - MAX_SKEW_MS <= now && now <= signedAt + seconds * 1000;
}
