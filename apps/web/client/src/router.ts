import { createRouter, createWebHistory } from 'vue-router';
import { ROOT } from './api/http';
import FilesView from './views/FilesView.vue';

/** Pages by their address below `/web`; all except the first are loaded when they are opened. */
export const router = createRouter({
  history: createWebHistory(`${ROOT}/web/`),
  routes: [
    { path: '/', redirect: { name: 'files' } },
    { path: '/files/:path(.*)*', name: 'files', component: FilesView },
    { path: '/received', name: 'received', component: () => import('./views/ReceivedView.vue') },
    { path: '/given', name: 'given', component: () => import('./views/GivenView.vue') },
    { path: '/links', name: 'links', component: () => import('./views/LinksView.vue') },
    { path: '/activity', name: 'activity', component: () => import('./views/ActivityView.vue') },
    { path: '/offers', name: 'offers', component: () => import('./views/OffersView.vue') },
    { path: '/contacts', name: 'contacts', component: () => import('./views/ContactsView.vue') },
    { path: '/notices', name: 'notices', component: () => import('./views/NoticesView.vue') },
    { path: '/trash', name: 'trash', component: () => import('./views/TrashView.vue') },
    { path: '/settings', name: 'settings', component: () => import('./views/SettingsView.vue') },
    {
      path: '/console',
      name: 'console',
      component: () => import('./views/console/ConsoleView.vue'),
      redirect: { name: 'overview' },
      children: [
        { path: 'overview', name: 'overview', component: () => import('./views/console/OverviewView.vue') },
        { path: 'partners', name: 'partners', component: () => import('./views/console/PartnersView.vue') },
        { path: 'partner', name: 'partner', component: () => import('./views/console/PartnerView.vue') },
        {
          path: 'deliveries',
          name: 'deliveries',
          component: () => import('./views/console/DeliveriesView.vue'),
        },
        { path: 'accounts', name: 'accounts', component: () => import('./views/console/AccountsView.vue') },
        {
          path: 'accounts/:uid',
          name: 'account',
          component: () => import('./views/console/AccountView.vue'),
        },
        { path: 'groups', name: 'groups', component: () => import('./views/console/GroupsView.vue') },
        { path: 'options', name: 'options', component: () => import('./views/console/OptionsView.vue') },
        { path: 'health', name: 'health', component: () => import('./views/console/HealthView.vue') },
        {
          path: 'records/:list?',
          name: 'records',
          component: () => import('./views/console/RecordsView.vue'),
        },
        { path: 'audit', name: 'audit', component: () => import('./views/console/AuditView.vue') },
      ],
    },
    {
      path: '/settings/app-passwords',
      name: 'app-passwords',
      component: () => import('./views/AppPasswordsView.vue'),
    },
    {
      path: '/settings/second-factor',
      name: 'second-factor',
      component: () => import('./views/SecondFactorView.vue'),
    },
    { path: '/:rest(.*)*', redirect: { name: 'files' } },
  ],
});
