/* Put into SPIN's verifier, before its search: makes the search follow one given run, and lists every step that the search
 * itself finds at each state of that run. Steps beside the run are listed and taken back at once.
 *
 * The run comes from the file `guide`: one step a line, process and transition, and those of the receiver or -1 -1. */
#define LONGEST_RUN 100000

static int guide_loaded, guide_length;
static int guide_steps[LONGEST_RUN][4];
static unsigned char *guide_half;	/* by depth: between the two halves of a rendezvous */
static int *guide_position;	/* by depth: how many steps of the run are behind */

static void
guide_load(void)
{	FILE *file = fopen("guide", "r");
	guide_loaded = 1;
	guide_half = calloc(maxdepth + 2, 1);
	guide_position = calloc(maxdepth + 2, sizeof(int));
	while (file && guide_length < LONGEST_RUN
	&& fscanf(file, "%d %d %d %d", &guide_steps[guide_length][0], &guide_steps[guide_length][1],
		&guide_steps[guide_length][2], &guide_steps[guide_length][3]) == 4)
	{	guide_length++;
	}
}

/* Called on arrival: must the search turn back? */
static int
guide_turns_back(void)
{	int step[4] = { -1, -1, -1, -1 }, from, i;

	if (!guide_loaded) guide_load();
	if (depth == 0 || depth > maxdepth) return 0;
	guide_half[depth] = (boq != -1);
	if (boq != -1)
	{	guide_position[depth] = guide_position[depth - 1];
		return 0;
	}
	from = guide_position[depth - 1];
	step[0] = trpt->pr;
	step[1] = trpt->o_t->t_id;
	if (guide_half[depth - 1])
	{	step[2] = step[0]; step[3] = step[1];
		step[0] = (trpt - 1)->pr;
		step[1] = (trpt - 1)->o_t->t_id;
	}
	printf("step %d: %d %d %d %d\n", from, step[0], step[1], step[2], step[3]);
	guide_position[depth] = from + 1;
	for (i = 0; i < 4; i++)
		if (from >= guide_length || step[i] != guide_steps[from][i])
		{
#if SYNC
			(trpt + 1)->o_n = 1;	/* not a deadlock */
#endif
			return 1;
		}
	return 0;
}
