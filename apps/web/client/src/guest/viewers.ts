import { createApp } from 'vue';
import type { createTexts } from '../i18n';
import FileViewer from '../components/FileViewer.vue';
import { viewerFor } from '../api/viewers';

/** Opens files with a viewer in place of their download. */
export function openViewers(texts: ReturnType<typeof createTexts>): void {
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-view]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const { view = '', name = '' } = link.dataset;
    const kind = viewerFor(view);
    if (!kind) return;
    event.preventDefault();
    const place = document.createElement('div');
    document.body.append(place);
    const close = (): void => {
      viewer.unmount();
      place.remove();
      link.focus();
    };
    const shown = { kind, name, address: link.href, isOpenToAll: true, onClose: close };
    const viewer = createApp(FileViewer, shown).use(texts);
    viewer.mount(place);
  });
}
