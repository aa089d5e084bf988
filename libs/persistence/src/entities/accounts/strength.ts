/** By how many factors somebody proved who they are: a password alone, or a password and what only they hold. */
export type Strength = 'one_factor' | 'two_factors';
