import { request, ROOT } from './http';

/** News of the server: the person's files, shares or notifications changed. */
export type NewsOf = 'file' | 'activity' | 'notification';
const NEWS: readonly NewsOf[] = ['file', 'activity', 'notification'];
/** Name of the lock with which all pages of a browser share one connection: a browser allows few connections per server. */
const NAME = 'drawbridge-events';
/** Pause before a new connection after the server refused one. */
const PAUSE_MS = 5_000;

/** Calls `hear` for news, and for all kinds of news after an interruption. */
export function listenForNews(hear: (news: NewsOf) => void): void {
  const others = new BroadcastChannel(NAME);
  others.addEventListener('message', ({ data }: MessageEvent<NewsOf>) => hear(data));
  const notify = (news: NewsOf): void => {
    hear(news);
    others.postMessage(news);
  };
  // One page holds the lock until it is left; then another one takes over, which may have missed news.
  void navigator.locks.request(NAME, { ifAvailable: true }, (lock) =>
    lock ? stayConnected(notify, false) : navigator.locks.request(NAME, () => stayConnected(notify, true)),
  );
}

/** Connects again whenever a connection has ended. */
async function stayConnected(notify: (news: NewsOf) => void, mayHaveMissed: boolean): Promise<never> {
  for (;;) {
    const end = await connect(notify, mayHaveMissed);
    // If the session has ended, the answer leads to the sign-in.
    const isSignedIn = await request('/web/session').then(
      () => true,
      () => false,
    );
    // A later sign-in in this browser replaced the session, and the page still has the request token of the old one.
    if (end === 'signed-out' && isSignedIn) location.reload();
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    mayHaveMissed = true;
  }
}

/**
 * Tells news until the server ends the connection, or answers with an error. A browser itself connects again only after
 * a broken connection.
 */
function connect(notify: (news: NewsOf) => void, mayHaveMissed: boolean): Promise<'signed-out' | 'refused'> {
  return new Promise((resolve) => {
    const source = new EventSource(`${ROOT}/web/events`);
    source.addEventListener('open', () => {
      if (mayHaveMissed) for (const news of NEWS) notify(news);
      mayHaveMissed = true;
    });
    for (const news of NEWS) source.addEventListener(news, () => notify(news));
    source.addEventListener('signed-out', () => {
      source.close();
      resolve('signed-out');
    });
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) resolve('refused');
    });
  });
}
