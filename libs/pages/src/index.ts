export { clientDirectory } from './client-assets';
export { markup, type Html } from './html';
export { languageOf, type Language } from './language';
export { PageReply, RedirectReply } from './page-reply';
