import { request } from './http';

/** The second factor of the account. */
export interface SecondFactor {
  /** ISO 8601 in UTC; null: there is none. */
  readonly since: string | null;
  readonly recoveryCodes: number;
}

/** A secret that an app is to take over. */
export interface Proposal {
  readonly secret: string;
  /** For a picture. */
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

/** @returns the recovery codes, which are shown this once */
export const confirmSecondFactor = async (setup: string, code: string): Promise<readonly string[]> =>
  (await send<{ recoveryCodes: string[] }>('PUT', PATH, { setup, code })).recoveryCodes;

/** @returns new recovery codes, which are shown this once */
export const renewRecoveryCodes = async (code: string): Promise<readonly string[]> =>
  (await send<{ recoveryCodes: string[] }>('POST', `${PATH}/recovery-codes`, { code })).recoveryCodes;

export const turnSecondFactorOff = (code: string): Promise<unknown> =>
  send('POST', `${PATH}/removal`, { code });
