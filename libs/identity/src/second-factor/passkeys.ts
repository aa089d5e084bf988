import { Injectable } from '@nestjs/common';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
  VerifiedRegistrationResponse,
} from '@simplewebauthn/server';
import { ChangeFeed, PasskeyRepository, type PasskeyRow } from '#persistence';
import { PRODUCT_NAME, PublicAddress, SecretBox } from '#platform';
import { LoginThrottle } from '../login-throttle';
import { newRecoveryCodes, hashesOfRecoveryCodes } from './recovery-codes';
import { openNote, sealNote } from './sealed-note';
import { SecondFactorRefused } from './second-factor-refused';

/** Loaded with the first passkey: these are 290 files that few processes need. */
const webauthn = () => import('@simplewebauthn/server');

const SETUP = 'challenge of a passkey that is being set up';
const SIGN_IN = 'challenge of a passkey at a sign-in';
const MOST = 20;
const MAX_NAME_CHARACTERS = 64;
const MAX_ANSWER_CHARACTERS = 8192;
const IP_ADDRESS = /^(?:\d+\.\d+\.\d+\.\d+|\[.*\])$/;

interface Challenge {
  readonly uid: string;
  readonly challenge: string;
  /** Milliseconds since 1970. */
  readonly givenAt: number;
}

/** A challenge for a browser, and a text that the browser returns with its answer. */
export interface PasskeyQuestion {
  /** For `navigator.credentials`, as JSON. */
  readonly options: object;
  readonly setup: string;
}

export type ShownPasskey = Pick<PasskeyRow, 'id' | 'name' | 'createdAt' | 'usedAt'>;

/** Manages passkeys of accounts: second factors in browsers, devices and security keys, which no other site can use. */
@Injectable()
export class Passkeys {
  constructor(
    private readonly passkeys: PasskeyRepository,
    private readonly throttle: LoginThrottle,
    private readonly secrets: SecretBox,
    private readonly feed: ChangeFeed,
    private readonly publicAddress: PublicAddress,
  ) {}

  /** Whether browsers make passkeys for this address: they require a host name. */
  get canBeMade(): boolean {
    return !IP_ADDRESS.test(this.site.hostname);
  }

  /** Passkeys of an account, the oldest first. */
  list(uid: string): Promise<readonly ShownPasskey[]> {
    return this.passkeys.list(uid);
  }

  /** Nothing is stored before the browser answers. @throws SecondFactorRefused `too-many` */
  async propose(uid: string, displayName: string): Promise<PasskeyQuestion> {
    const known = await this.passkeys.list(uid);
    if (known.length >= MOST)
      throw new SecondFactorRefused('too-many', `An account has ${MOST} passkeys at most`);
    const { generateRegistrationOptions } = await webauthn();
    const options = await generateRegistrationOptions({
      rpName: PRODUCT_NAME,
      rpID: this.site.hostname,
      userName: uid,
      userDisplayName: displayName,
      // It does not contain the account's name: authenticators store it, and show it to nobody.
      userID: new Uint8Array(this.secrets.lookup(`handle of passkeys\n${uid}`)),
      excludeCredentials: known.map(described),
      authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
    });
    return { options, setup: this.seal(SETUP, uid, options) };
  }

  /**
   * Stores the key in a browser's answer.
   * @param answer its answer, as JSON
   * @throws SecondFactorRefused `setup-over`, `answer-wrong`, `exists`
   * @returns recovery codes if the account had none; they are shown only now
   */
  async confirm(uid: string, setup: string, answer: string, name: string): Promise<readonly string[]> {
    const asked = this.open(SETUP, uid, setup);
    if (!asked) throw new SecondFactorRefused('setup-over', 'Begin again: this took too long');
    const { credential } = await this.verifiedKey(asked, answer);
    const codes = newRecoveryCodes();
    const added = await this.passkeys.add(
      {
        uid,
        credentialId: Buffer.from(credential.id, 'base64url'),
        publicKey: Buffer.from(credential.publicKey),
        signCount: credential.counter,
        transports: [...(credential.transports ?? [])],
        name: nameOf(name),
        challengedAt: new Date(asked.givenAt),
      },
      hashesOfRecoveryCodes(this.secrets, uid, codes),
    );
    if (added === 'exists') throw new SecondFactorRefused('exists', 'This passkey is there already');
    this.feed.announceLocally('account', uid);
    return added === 'added-with-codes' ? codes : [];
  }

  /** @returns the challenge for a browser at the sign-in; undefined if the account has no passkey */
  async ask(uid: string): Promise<PasskeyQuestion | undefined> {
    const known = await this.passkeys.list(uid);
    if (known.length === 0) return undefined;
    const { generateAuthenticationOptions } = await webauthn();
    const options = await generateAuthenticationOptions({
      rpID: this.site.hostname,
      allowCredentials: known.map(described),
      userVerification: 'preferred',
    });
    return { options, setup: this.seal(SIGN_IN, uid, options) };
  }

  /**
   * Accepts the answer of a browser, once. Attempts count together with those by codes.
   * @param answer its answer, as JSON
   * @throws AuthenticationFailed `throttled`
   */
  async accepts(uid: string, setup: string, answer: string, address: string): Promise<boolean> {
    const subject = `factor:${uid}`;
    await this.throttle.attempt(subject, address);
    const asked = this.open(SIGN_IN, uid, setup);
    const isRight = asked !== undefined && (await this.isAnswered(asked, answer));
    if (isRight) await this.throttle.succeeded(subject, address, true);
    return isRight;
  }

  /** @throws SecondFactorRefused `absent` */
  async remove(uid: string, id: number): Promise<void> {
    if (!(await this.passkeys.remove(uid, id)))
      throw new SecondFactorRefused('absent', 'There is no such passkey (any more)');
    this.feed.announceLocally('account', uid);
  }

  private async isAnswered({ uid, challenge, givenAt }: Challenge, text: string): Promise<boolean> {
    const response = answerIn<AuthenticationResponseJSON>(text);
    const key = (await this.passkeys.list(uid)).find((one) => described(one).id === response?.id);
    if (!response || !key) return false;
    const { verifyAuthenticationResponse } = await webauthn();
    try {
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response,
        expectedChallenge: challenge,
        ...this.expected,
        credential: {
          ...described(key),
          publicKey: new Uint8Array(key.publicKey),
          counter: key.signCount,
        },
      });
      const { newCounter } = authenticationInfo;
      return verified && (await this.passkeys.use(uid, key.credentialId, newCounter, new Date(givenAt)));
    } catch (error) {
      return refusedAnswer(error);
    }
  }

  private async verifiedKey(
    { challenge }: Challenge,
    text: string,
  ): Promise<NonNullable<VerifiedRegistrationResponse['registrationInfo']>> {
    const response = answerIn<RegistrationResponseJSON>(text);
    const asked = { expectedChallenge: challenge, ...this.expected };
    const { verifyRegistrationResponse } = await webauthn();
    const found = response && (await verifyRegistrationResponse({ response, ...asked }).catch(refusedAnswer));
    if (!found || !found.verified)
      throw new SecondFactorRefused('answer-wrong', 'The browser gave no answer that counts. Begin again');
    return found.registrationInfo;
  }

  private seal(
    purpose: string,
    uid: string,
    { challenge }: Pick<PublicKeyCredentialCreationOptionsJSON, 'challenge'>,
  ): string {
    const note: Challenge = { uid, challenge, givenAt: Date.now() };
    return sealNote(this.secrets, purpose, note);
  }

  private open(purpose: string, uid: string, setup: string): Challenge | undefined {
    const note = openNote<Challenge>(this.secrets, purpose, setup);
    return note?.uid === uid ? note : undefined;
  }

  /** For a second factor it is enough that a person is present: the password has shown who they are. */
  private get expected() {
    return {
      expectedOrigin: this.site.origin,
      expectedRPID: this.site.hostname,
      requireUserVerification: false,
    };
  }

  private get site(): URL {
    return new URL(this.publicAddress.url);
  }
}

const described = ({ credentialId, transports }: PasskeyRow): { id: string; transports: string[] } => ({
  id: credentialId.toString('base64url'),
  transports,
});

/** The library refuses with plain errors. */
function refusedAnswer(error: unknown): false {
  if (error instanceof Error) return false;
  throw error;
}

/** The verifying code checks the form. */
function answerIn<Answer>(text: string): Answer | undefined {
  if (text.length > MAX_ANSWER_CHARACTERS) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Answer) : undefined;
  } catch {
    return undefined;
  }
}

const nameOf = (given: string): string => {
  const name = [...given.replace(/\p{Cc}/gu, ' ').trim()].slice(0, MAX_NAME_CHARACTERS).join('');
  return name === '' ? 'Passkey' : name;
};
