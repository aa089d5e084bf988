import { startRegistration, type PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser';
import { request } from './http';

/** A passkey of the account. */
interface Passkey {
  readonly id: number;
  readonly name: string;
  /** ISO 8601 in UTC. */
  readonly since: string;
  /** ISO 8601 in UTC; null: never. */
  readonly usedAt: string | null;
}

/** The second factor of the account. */
export interface SecondFactor {
  /** Time at which its app was added, ISO 8601 in UTC; null: it has none. */
  readonly since: string | null;
  readonly recoveryCodes: number;
  readonly passkeys: readonly Passkey[];
  readonly passkeysCanBeMade: boolean;
}

/** A secret for an app. */
export interface Proposal {
  readonly secret: string;
  /** Address for a QR code. */
  readonly address: string;
  readonly setup: string;
}

const PATH = '/web/second-factor';

async function send<Answer>(method: string, path: string, body: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  return (await request(path, { method, headers, body: JSON.stringify(body) })).json() as Promise<Answer>;
}

export const readSecondFactor = async (): Promise<SecondFactor> =>
  (await request(PATH)).json() as Promise<SecondFactor>;

export const proposeSecondFactor = async (): Promise<Proposal> =>
  (await request(`${PATH}/proposal`)).json() as Promise<Proposal>;

/** @returns the recovery codes, which are shown only now */
export const confirmSecondFactor = async (setup: string, code: string): Promise<readonly string[]> =>
  (await send<{ recoveryCodes: string[] }>('PUT', PATH, { setup, code })).recoveryCodes;

/** @returns new recovery codes, which are shown only now */
export const renewRecoveryCodes = async (code: string): Promise<readonly string[]> =>
  (await send<{ recoveryCodes: string[] }>('POST', `${PATH}/recovery-codes`, { code })).recoveryCodes;

export const turnSecondFactorOff = (code: string): Promise<unknown> =>
  send('POST', `${PATH}/removal`, { code });

/** Lets the browser make a passkey. @returns recovery codes if the account had none; they are shown only now */
export async function makePasskey(name: string): Promise<readonly string[]> {
  const { options, setup } = (await (await request(`${PATH}/passkeys/proposal`)).json()) as {
    options: PublicKeyCredentialCreationOptionsJSON;
    setup: string;
  };
  const answer = JSON.stringify(await startRegistration({ optionsJSON: options }));
  const body = { setup, answer, name };
  return (await send<{ recoveryCodes: string[] }>('POST', `${PATH}/passkeys`, body)).recoveryCodes;
}

export const removePasskey = (id: number): Promise<unknown> =>
  send('POST', `${PATH}/passkeys/removal`, { id: String(id) });
