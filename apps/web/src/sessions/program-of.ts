import Bowser from 'bowser';

/** A program as people know it; null where it is not known. */
export interface Program {
  readonly program: string | null;
  /** The system that it runs on. */
  readonly system: string | null;
}

/** Clients beside browsers. They name some systems in another way than browsers. */
const CLIENTS: readonly (readonly [RegExp, string])[] = [
  [/\bmirall\/.*\(Nextcloud\b/i, 'Nextcloud desktop client'],
  [/\bmirall\//i, 'ownCloud desktop client'],
  [/\bNextcloud-(?:android|iOS)\//i, 'Nextcloud app'],
  [/\bownCloud(?:-android|-iOS|App)\//i, 'ownCloud app'],
];

const SYSTEM_OF_CLIENT = /\((Windows|iOS)\)/;

/** The program and system that a header `User-Agent` names. */
export function programOf(userAgent: string): Program {
  if (userAgent === '') return { program: null, system: null };
  const { browser, os } = Bowser.parse(userAgent);
  const client = CLIENTS.find(([pattern]) => pattern.test(userAgent))?.[1];
  return {
    program: client ?? (browser.name || null),
    system: os.name || (SYSTEM_OF_CLIENT.exec(userAgent)?.[1] ?? null),
  };
}
