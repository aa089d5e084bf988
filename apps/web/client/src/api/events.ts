import { request, ROOT } from './http';

/** News of the server: the person's files, shares or notifications changed. */
export type NewsOf = 'file' | 'activity' | 'notification';
const NEWS: readonly NewsOf[] = ['file', 'activity', 'notification'];
/** Name of the lock with which all pages of a browser share one connection: a browser allows few connections per server. */
const NAME = 'drawbridge-events';

/** Calls `hear` for news, and for all kinds of news after an interruption. */
export function listenForNews(hear: (news: NewsOf) => void): void {
  const others = new BroadcastChannel(NAME);
  others.addEventListener('message', ({ data }: MessageEvent<NewsOf>) => hear(data));
  const notify = (news: NewsOf): void => {
    hear(news);
    others.postMessage(news);
  };
  // Held until this page is closed; then another one takes over.
  void navigator.locks.request(NAME, () => connect(notify));
}

function connect(notify: (news: NewsOf) => void): Promise<never> {
  return new Promise(() => {
    const source = new EventSource(`${ROOT}/web/events`);
    let wasOpen = false;
    source.addEventListener('open', () => {
      if (wasOpen) for (const news of NEWS) notify(news);
      wasOpen = true;
    });
    for (const news of NEWS) source.addEventListener(news, () => notify(news));
    source.addEventListener('signed-out', () => {
      source.close();
      // If the session has ended, the answer leads to the sign-in.
      void request('/web/session').catch(() => undefined);
    });
  });
}
