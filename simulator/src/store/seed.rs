//! Fills a store with many objects. The program's `--teams` and tests of large servers call it; it
//! must never depend on anything but the store's own random numbers.

use super::{Level, Policy, Store, Switch, Target};

const SEVERITIES: [&str; 4] = ["critical", "high", "warning", "info"];

impl Store {
    /// Adds teams, each with a policy and a source, and switches spread over them.
    pub(crate) fn fill(&mut self, teams: usize, switches: usize) {
        let ids: Vec<_> = (1..=teams).map(|number| self.fill_team(number)).collect();
        let places = ids.iter().cycle().take(if ids.is_empty() { 0 } else { switches });
        for (number, team) in (1..).zip(places) {
            self.fill_switch(*team, number);
        }
    }

    fn fill_team(&mut self, number: usize) -> i64 {
        let team_id = self.add_team(format!("team-{number:04}")).id;
        self.add_source(team_id, "alertmanager".to_owned(), "prometheus".to_owned());
        let repeat_count = i64::from(self.pick(4));
        let targets = vec![Target { kind: "oncall".to_owned(), user_id: None }];
        let levels = vec![Level { timeout: "5m0s".to_owned(), targets }];
        if let Some(node) = self.tables.teams.get_mut(team_id) {
            node.policy = Some(Policy { team_id, repeat_count, fallback_topic: None, levels });
        }
        team_id
    }

    fn fill_switch(&mut self, team_id: i64, number: usize) {
        let severity = SEVERITIES[usize::from(self.pick(4))].to_owned();
        let timeout = format!("{}m0s", 5 + self.pick(50));
        let id = self.next_id();
        let name = format!("watchdog-{number:05}");
        let matcher = format!("alertname=Watchdog,cluster=cluster-{number:05}");
        let switch = Switch { id, team_id, name, matcher, timeout, severity, last_seen_at: None };
        if let Some(node) = self.tables.teams.get_mut(team_id) {
            node.switches.insert(switch);
        }
    }

    fn pick(&mut self, bound: u8) -> u8 {
        u8::try_from(self.random_below(u64::from(bound))).unwrap_or_default()
    }
}
