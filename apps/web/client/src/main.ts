import { QueryClient, VueQueryPlugin } from '@tanstack/vue-query';
import { createApp, reactive } from 'vue';
import { listenForNews, type NewsOf } from './api/events';
import { readSession } from './api/session';
import App from './App.vue';
import { createTexts } from './i18n';
import { keepFocus } from './kept-focus';
import { tell } from './messages';
import { router } from './router';
import './style.css';
import { SESSION } from './use-page';

/** Time for which results are shown without a new request. */
const FRESH_MS = 5_000;

/** Queries that each kind of news makes outdated. */
const CONCERNED: Readonly<Record<NewsOf, readonly string[]>> = {
  file: ['folder', 'trash', 'shares', 'versions'],
  activity: ['shares', 'shares-of', 'timeline'],
  notification: ['notices', 'offers'],
};

async function start(): Promise<void> {
  const session = await readSession();
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: FRESH_MS, retry: 1 } } });
  const query = Object.fromEntries(new URLSearchParams(location.search));
  if (session.lacksSecondFactor) await router.replace({ name: 'second-factor', query });
  else
    listenForNews((news) => {
      for (const name of CONCERNED[news]) void queries.invalidateQueries({ queryKey: [name] });
    });
  const texts = createTexts();
  router.beforeEach(({ matched: [page] }) => {
    if (page?.name !== 'console' || session.isAdmin) return true;
    tell({ text: texts.global.t('failure.403'), isFailure: true });
    return { name: 'files', params: { path: [] } };
  });
  createApp(App)
    .provide(SESSION, reactive(session))
    .use(texts)
    .use(VueQueryPlugin, { queryClient: queries })
    .use(router)
    .mount('#app');
  keepFocus();
}

void start();
