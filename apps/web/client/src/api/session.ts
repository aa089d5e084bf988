import { currentRequestToken, request, ROOT, useRequestToken } from './http';

/** The signed-in account. */
export interface Session {
  readonly uid: string;
  readonly displayName: string;
  readonly email: string | null;
  readonly isAdmin: boolean;
  /** Whether the account has to set up a second factor before anything else. */
  readonly lacksSecondFactor: boolean;
}

/** A browser in which the account is signed in. Times are ISO 8601 in UTC. */
export interface ListedSession {
  readonly id: number;
  readonly isCurrent: boolean;
  readonly userAgent: string;
  /** The program in plain words; null if it is not known. */
  readonly program: string | null;
  readonly system: string | null;
  readonly address: string;
  readonly createdAt: string;
  readonly usedAt: string;
}

/** Reads the signed-in account, and the token for its changes. */
export async function readSession(): Promise<Session> {
  const { requestToken, ...session } = (await (await request('/web/session')).json()) as Session & {
    requestToken: string | null;
  };
  useRequestToken(requestToken);
  return session;
}

export async function listSessions(): Promise<readonly ListedSession[]> {
  return ((await (await request('/web/sessions')).json()) as { sessions: ListedSession[] }).sessions;
}

export async function endSession(id: number): Promise<void> {
  await request(`/web/sessions/${id}`, { method: 'DELETE' });
}

export async function endOtherSessions(): Promise<void> {
  await request('/web/sessions', { method: 'DELETE' });
}

/** Ends the session of this browser, and opens the sign-in. */
export function signOut(): void {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = `${ROOT}/logout`;
  const field = document.createElement('input');
  [field.type, field.name, field.value] = ['hidden', 'requesttoken', currentRequestToken() ?? ''];
  form.append(field);
  document.body.append(form);
  form.submit();
}
