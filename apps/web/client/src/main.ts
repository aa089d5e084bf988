import { QueryClient, VueQueryPlugin } from '@tanstack/vue-query';
import { createApp } from 'vue';
import { readSession } from './api/session';
import App from './App.vue';
import { createTexts } from './i18n';
import { router } from './router';
import './style.css';
import { SESSION } from './use-page';

/** Shown for so long without being asked for again. */
const FRESH_MS = 5_000;

async function start(): Promise<void> {
  const session = await readSession();
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: FRESH_MS, retry: 1 } } });
  if (session.lacksSecondFactor) await router.replace({ name: 'second-factor' });
  createApp(App)
    .provide(SESSION, session)
    .use(createTexts())
    .use(VueQueryPlugin, { queryClient: queries })
    .use(router)
    .mount('#app');
}

void start();
