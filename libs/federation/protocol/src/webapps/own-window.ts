/** The way in which pages of other servers are opened here, and ours there: in a window of their own, never in a frame. Source: OCM 1.4. */
export const OWN_WINDOW = 'blank';
