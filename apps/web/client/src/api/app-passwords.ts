import { request } from './http';

/** Areas of app passwords. */
export const SCOPES = ['files', 'sharing', 'administration'] as const;
export type Scope = (typeof SCOPES)[number];

/** Properties of an app password that people choose. */
export interface AppPasswordChoice {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly readOnly: boolean;
  /** ISO 8601; null for none. */
  readonly expiresAt: string | null;
}

/** An app password of the account. Times are ISO 8601 in UTC. */
export interface AppPassword extends AppPasswordChoice {
  readonly id: number;
  readonly createdAt: string;
  readonly usedAt: string | null;
}

export async function listAppPasswords(): Promise<readonly AppPassword[]> {
  const reply = await request('/web/app-passwords');
  return ((await reply.json()) as { appPasswords: AppPassword[] }).appPasswords;
}

/** @returns the app password itself, which is shown only now */
export async function createAppPassword(choice: AppPasswordChoice): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const reply = await request('/web/app-passwords', {
    method: 'POST',
    headers,
    body: JSON.stringify(choice),
  });
  return ((await reply.json()) as { secret: string }).secret;
}

export async function revokeAppPassword(id: number): Promise<void> {
  await request(`/web/app-passwords/${id}`, { method: 'DELETE' });
}
