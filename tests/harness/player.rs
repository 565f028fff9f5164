//! Plays games over gRPC, choosing among the legal actions that the server lists.

use divelog_history::Choices;
use divelog_proto::games::deep_sea_adventure::v1 as dsa;
use divelog_proto::v1 as pb;
use divelog_proto::v1::game_service_client::GameServiceClient;
use tonic::Status;
use tonic::transport::Channel;

/// A request for a game of Deep Sea Adventure.
pub fn new_game(players: usize) -> pb::CreateGameRequest {
    let options = pb::game_options::Options::DeepSeaAdventure(dsa::Options {});
    pb::CreateGameRequest {
        options: Some(pb::GameOptions { options: Some(options) }),
        players: vec![pb::NewPlayer::default(); players],
        ..Default::default()
    }
}

/// The action of an entry of a list of legal actions.
pub fn action_of(legal: &pb::LegalAction) -> pb::GameAction {
    let Some(pb::legal_action::LegalAction::DeepSeaAdventure(legal)) = legal.legal_action else {
        panic!("not a legal action of Deep Sea Adventure: {legal:?}");
    };
    pb::GameAction { action: legal.action.map(pb::game_action::Action::DeepSeaAdventure) }
}

/// Plays one game, for all its seats.
pub struct Player {
    /// The connection.
    pub client: GameServiceClient<Channel>,
    /// The game.
    pub game_id: String,
    choices: Choices,
}

impl Player {
    /// Plays on in a game. Any seed of its choices gives a legal one.
    pub fn of(client: GameServiceClient<Channel>, game_id: String, seed: u64) -> Player {
        Player { client, game_id, choices: Choices::new(seed, 0) }
    }

    /// Creates a game.
    pub async fn create(mut client: GameServiceClient<Channel>, players: usize, seed: u64) -> Player {
        let game = client.create_game(new_game(players)).await.unwrap().into_inner().game.unwrap();
        Player::of(client, game.game_id, seed)
    }

    /// The game as a spectator sees it.
    pub async fn game(&mut self) -> pb::Game {
        let request = pb::GetGameRequest { game_id: self.game_id.clone(), viewer: None };
        self.client.get_game(request).await.unwrap().into_inner().game.unwrap()
    }

    /// A request for some legal action now; `None` once the game is over.
    pub async fn choose(&mut self) -> Result<Option<pb::SubmitActionRequest>, Status> {
        let request = pb::GetGameRequest { game_id: self.game_id.clone(), viewer: None };
        let game = self.client.get_game(request).await?.into_inner().game.unwrap();
        let Some(seat) = game.to_act.first().copied() else { return Ok(None) };
        let request = pb::ListLegalActionsRequest { game_id: self.game_id.clone(), seat };
        let legal = self.client.list_legal_actions(request).await?.into_inner().legal_actions;
        let action = action_of(self.choices.pick(&legal));
        Ok(Some(pb::SubmitActionRequest {
            game_id: self.game_id.clone(),
            seat,
            action: Some(action),
            ..Default::default()
        }))
    }

    /// Does one legal action; `None` once the game is over.
    pub async fn step(&mut self) -> Result<Option<pb::SubmitActionResponse>, Status> {
        let Some(request) = self.choose().await? else { return Ok(None) };
        Ok(Some(self.client.submit_action(request).await?.into_inner()))
    }

    /// Plays so many actions, or to the end.
    pub async fn play(&mut self, actions: usize) {
        for _ in 0..actions {
            if self.step().await.unwrap().is_none() {
                return;
            }
        }
    }
}
