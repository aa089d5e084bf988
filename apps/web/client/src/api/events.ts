import { request, ROOT } from './http';

/** News of the server: the person's files, given shares or notifications changed. */
export type NewsOf = 'file' | 'activity' | 'notification';
const NEWS: readonly NewsOf[] = ['file', 'activity', 'notification'];
/** Pages of one browser have one connection together: a browser has few of them for each server. */
const NAME = 'drawbridge-events';

/** Calls `hear` for news, and for all of them after a time in which they could not be heard. */
export function listenForNews(hear: (news: NewsOf) => void): void {
  const others = new BroadcastChannel(NAME);
  others.addEventListener('message', ({ data }: MessageEvent<NewsOf>) => hear(data));
  const notify = (news: NewsOf): void => {
    hear(news);
    others.postMessage(news);
  };
  // Held until this page is closed; another one takes it over then.
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
      // Where the session has ended, the answer leads to the sign-in.
      void request('/web/session').catch(() => undefined);
    });
  });
}
